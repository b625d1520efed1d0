// What the page carries: a JSON description, and parts of bytes. A part is deflated and in base64, either in an element of
// the page or in a script of its own, which hands it to window.summandPart.

const arrived = (window.summandParts ??= new Map());

function loadScript(url) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: url, onload: done, onerror: () => failed(new Error(`${url}: cannot be read`)) });
    document.head.append(script);
  });
}

export const description = () => JSON.parse(document.getElementById("description").textContent);

// The bytes of a part, or null where the page has none.
export async function part(name, folder) {
  if (folder && !arrived.has(name)) await loadScript(`${folder}/${name}.js`);
  const text = arrived.get(name) ?? document.getElementById(`part-${name}`)?.textContent;
  if (text === undefined) return null;
  arrived.delete(name);
  const letters = atob(text.trim()), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(inflated).arrayBuffer();
}
