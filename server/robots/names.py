"""Names: people as they come to a tournament, from everywhere."""

from random import Random

PEOPLE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "english": (
        ("Olivia", "Jack", "Charlotte", "Lachlan", "Matilda", "Cooper", "Ruby", "Angus", "Bronte"),
        ("O'Sullivan", "Whitlam", "Fitzgerald-Moore", "Baker", "McKenzie", "Ash", "Nguyen-Smith"),
    ),
    "vietnamese": (
        ("Thị Hồng", "Văn Đức", "Minh", "Thu Hà", "Quốc Bảo"),
        ("Nguyễn", "Trần", "Phạm", "Đặng", "Võ"),
    ),
    "german": (
        ("Jürgen", "Käthe", "Björn", "Anneliese", "Götz"),
        ("Müller", "Weiß", "Großmann", "von der Heyde", "Schröder"),
    ),
    "polish": (
        ("Małgorzata", "Łukasz", "Zbigniew", "Agnieszka", "Grażyna"),
        ("Wójcik", "Kowalska", "Szczepański", "Żak", "Brzęczyszczykiewicz"),
    ),
    "spanish": (
        ("José Ángel", "María", "Íñigo", "Begoña", "Ramón"),
        ("Muñoz", "García Pérez", "Ibáñez", "de la Cruz", "Núñez"),
    ),
    "greek": (
        ("Γιώργος", "Ελένη", "Νίκος", "Κατερίνα"),
        ("Παπαδόπουλος", "Οικονόμου", "Γεωργίου"),
    ),
    "turkish": (
        ("Çağla", "İbrahim", "Gülşen", "Ömer"),
        ("Yıldız", "Şahin", "Öztürk", "Kılıç"),  # noqa: RUF001 - dotless, as in Turkish
    ),
    "chinese": (
        ("伟", "秀英", "建国", "小明", "雨欣"),
        ("王", "李", "欧阳", "陈", "张"),
    ),
    "japanese": (
        ("さくら", "健太", "美咲", "大輔"),
        ("佐藤", "鈴木", "高橋", "小林"),
    ),
    "korean": (
        ("민준", "서연", "지훈", "하은"),
        ("김", "박", "이", "최"),
    ),
    "arabic": (
        ("محمد", "فاطمة", "خالد", "ليلى"),
        ("الحسن", "حداد", "منصور"),
    ),
    "hindi": (
        ("प्रिया", "अर्जुन", "Ananya", "Vikram"),
        ("शर्मा", "Patel", "Krishnamurthy", "सिंह"),
    ),
    "samoan": (
        ("Tavita", "Sina", "Ioane", "Lagi"),
        ("Tuilagi", "Fa'asavalu", "Leota"),
    ),
    "icelandic": (
        ("Guðrún", "Þórður", "Ævar"),
        ("Jónsdóttir", "Sigurðsson", "Þorláksson"),
    ),
}
"""Given and family names by language; a room in Brisbane has most of them on a Saturday."""

LOCAL, MIDDLE = 0.4, 0.2
"""How many speak the language of the place, and how many give a middle initial."""

MANY = 250
"""From so many people on, names carry a number: even real rooms have two of the same name."""

FAMILY_FIRST = ("chinese", "japanese", "korean")
DEALERS = ("Ann", "Dong-hyun", "Þóra", "Miguel", "Priya", "Łucja", "Tane", "Zoë", "Ömer", "Mei")


def people(rng: Random, count: int) -> list[str]:
    """Give names, all different as long as there are enough of them."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[_person(rng, len(found))] = None
    return list(found)


def _person(rng: Random, number: int) -> str:
    # Many in the room speak the language of the place.
    language = "english" if rng.random() < LOCAL else rng.choice(list(PEOPLE))
    given, family = (rng.choice(names) for names in PEOPLE[language])
    if language in FAMILY_FIRST:
        return f"{family}{given}" if number < MANY else f"{family}{given} {number}"
    initial = rng.choice("ABCDEGHJKLMNPRSTW")
    middle = f" {initial}." if rng.random() < MIDDLE or number >= MANY else ""
    return f"{given}{middle} {family}" if number < MANY else f"{given}{middle} {family} {number}"
