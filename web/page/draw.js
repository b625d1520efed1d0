// Elements, numbers, and vectors on canvases.

export const number = (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A canvas of width × height pixels whose grey values are value(i), from 0 to 255.
export function greyCanvas(width, height, value) {
  const canvas = element("canvas", { width, height, "aria-hidden": "true" });
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    const grey = value(i);
    image.data.set([grey, grey, grey, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// A vector that is a picture.
export const vectorCanvas = (vector, { width, height }) => greyCanvas(width, height, (i) => vector[i]);

// A word that is added to a picture: orange where it adds, blue where it takes away, and clear where it does neither.
export function wordCanvas(word, { width, height }, scale) {
  const canvas = element("canvas", { width, height, "aria-hidden": "true" });
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    const strength = Math.min(1, Math.abs(word[i]) / scale);
    image.data.set([...(word[i] > 0 ? [234, 120, 20] : [52, 110, 235]), 255 * strength], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// The query's table: a row for each dictionary, a column for each word, dark where an entry is small, which is near.
export function tableCanvas(table, code) {
  const rows = table.length, columns = table[0].length;
  const canvas = element("canvas", { width: columns, height: rows, "aria-hidden": "true" });
  const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
  table.forEach((row, m) => {
    const least = Math.min(...row), range = Math.max(...row) - least || 1;
    row.forEach((entry, k) => {
      const share = (entry - least) / range;
      const colour = k === code[m] ? [234, 120, 20] : [30 + 200 * share, 60 + 175 * share, 140 + 105 * share];
      image.data.set([...colour, 255], 4 * (m * columns + k));
    });
  });
  context.putImageData(image, 0, 0);
  return canvas;
}
