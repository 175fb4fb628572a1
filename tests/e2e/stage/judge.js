// The judge: lays pictures out on a sheet, and says how far two sheets are apart. No image library.

const CELL = 10; // pixels: as large as a word on a thumbnail
const SHADES = 17; // between one shade and the next: sixteen of each colour are enough, and small

async function picture(data) {
  const made = new Image();
  made.src = `data:image/png;base64,${data}`;
  await made.decode();
  return made;
}

/** Draw pictures into their places on a sheet, and give it as a PNG. */
window.sheet = async (shots, places, width, height) => {
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.fillStyle = "#777";
  pen.fillRect(0, 0, width, height);
  for (const [index, shot] of shots.entries()) {
    const { x, y, w, h } = places[index];
    pen.drawImage(await picture(shot), x, y, w, h);
  }
  const drawn = pen.getImageData(0, 0, width, height);
  for (let at = 0; at < drawn.data.length; at += 1) drawn.data[at] = Math.round(drawn.data[at] / SHADES) * SHADES;
  pen.putImageData(drawn, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
};

async function pixels(data) {
  const image = await picture(data);
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, image.width, image.height);
}

/** Compare two sheets: the mean difference, and the worst of all cells, from 0 to 1. */
window.apart = async (one, other) => {
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return { mean: 1, worst: 1, x: 0, y: 0 };
  const columns = Math.ceil(a.width / CELL);
  const cells = new Float64Array(columns * Math.ceil(a.height / CELL));
  let sum = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const off = (Math.abs(a.data[at] - b.data[at]) + Math.abs(a.data[at + 1] - b.data[at + 1]) + Math.abs(a.data[at + 2] - b.data[at + 2])) / 765;
    const [x, y] = [(at / 4) % a.width, Math.floor(at / 4 / a.width)];
    cells[Math.floor(y / CELL) * columns + Math.floor(x / CELL)] += off / CELL ** 2;
    sum += off;
  }
  const worst = cells.reduce((most, each, index) => (each > cells[most] ? index : most), 0);
  return { mean: sum / (a.width * a.height), worst: cells[worst], x: (worst % columns) * CELL, y: Math.floor(worst / columns) * CELL };
};
