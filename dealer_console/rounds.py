"""The betting round on a dealer's console: what comes after the last player, in words.

The hub says what comes next (`hand.next`); here it is only put into words and onto the big button.
"""

from dealer_console import phrases
from dealer_console.sight import Button, Scene, Sight

RUN_THE_BOARD = "RUN THE BOARD"


def over(sight: Sight, note: str = "") -> Button:
    """Make the big button that ends the hand."""
    if sight.h4h:
        return sight.button("HAND DONE", note, sight.look.to("h4h.done"))
    return sight.button("HAND OVER", note, sight.look.to("hand.end"))


def last_to_act(sight: Sight) -> Button:
    """Make the big button while the last one of a round thinks."""
    street = sight.next_street
    if not street:
        follows = "then the showdown"
    elif len(sight.asked()) <= 1:
        follows = "then run the board"
    else:
        follows = f"then the {street}"
    return sight.button("LAST TO ACT", follows, sight.look.to("action.next"))


def onward(sight: Sight) -> Button | None:
    """Make the big button that is what comes next; None where no round is known."""
    look, comes = sight.look, sight.comes
    match comes:
        case None:
            return None
        case "act":
            turn = next(iter(sight.to_act), None)
            return sight.button("NEXT PLAYER", sight.name(turn), look.to("action.next"))
        case "run_out" if sight.h4h == "playing":
            return sight.button("ALL-IN", "tell the floor: cards face down", look.to("h4h.all_in"))
        case "run_out":
            run = look.to("street.next", street="river")
            return sight.button(RUN_THE_BOARD, "all of it, then tap", run)
        case "showdown":
            return over(sight, "as the pot is pushed")
        case "over":
            return over(sight, f"pot to seat {sight.in_hand[0]}" if sight.in_hand else "")
        case _:
            opener = sight.left_of(sight.hand["button"])
            begins = "" if opener is None else f": seat {opener}'s time begins"
            deal = look.to("street.next", start=True)
            return sight.button(comes.upper(), f"deal it, then tap{begins}", deal)


def round_scene(sight: Sight) -> Scene | None:
    """Say that nobody is left to act in this round, and what comes next."""
    big = onward(sight)
    match sight.comes:
        case None | "act":
            return None
        case "over":
            return _ends(big, "hand_ends", "HAND OVER", "one player is left")
        case "run_out":
            told = sight.h4h == "playing"
            detail = "cards stay face down, no more cards" if told else "nobody can act any more"
            return _ends(big, "run_out", "ALL-IN", detail)
        case "showdown":
            detail = "nobody can act any more" if len(sight.asked()) <= 1 else "everybody has acted"
            return _ends(big, "showdown", "SHOWDOWN", detail)
        case _:
            return _ends(big, "round_over", "ROUND OVER", "everybody has acted")


def _ends(big: Button | None, state: str, word: str, detail: str) -> Scene:
    return Scene(state, None, word, detail, big=big or Button("big", ""))


def count_words(sight: Sight, following: int | None) -> str:
    """Say whose bet is counted, and who is next; nothing where the hub does not say whose."""
    bettor = sight.hand.get("bettor")
    if bettor is None:
        return ""
    follows = "" if following is None else f"seat {following} is next"
    return phrases.joined(f"counting seat {bettor}'s bet", follows)


def posts(sight: Sight) -> str:
    """Say what is unusual about the button and the blinds, before anybody has acted (DB)."""
    if not sight.untouched:
        return ""
    button, blinds = sight.hand["button"], sight.hand["blinds"]
    dead = button is not None and str(button) not in sight.table["seats"]
    small = blinds["small"] is None and blinds["big"] is not None
    straddle = sight.hand["straddle"]
    return phrases.joined(
        f"dead button, seat {button}" if dead else "",
        "dead small blind" if small else "",
        "" if straddle is None else f"seat {straddle} straddles",
    )
