// A query of one's own, where vectors are pictures: drawn with the pointer, or taken from a file.

const SCALE = 10, PEN = 1.1;  // screen pixels to a pixel; radius of the pen in pixels

export class Sketch {
  // `search(vector)` is called with the finished picture.
  constructor(dialog, { width, height }, search) {
    Object.assign(this, { dialog, width, height });
    this.canvas = dialog.querySelector("canvas");
    Object.assign(this.canvas, { width: width * SCALE, height: height * SCALE });
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.#listen(search);
  }

  open() {
    this.#clear();
    this.dialog.showModal();
  }

  #clear() {
    this.context.fillStyle = "#000";
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  #listen(search) {
    const { canvas, context, dialog } = this;
    const at = (event) => [(event.offsetX / canvas.clientWidth) * canvas.width, (event.offsetY / canvas.clientHeight) * canvas.height];
    let last = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = at(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      Object.assign(context, { strokeStyle: "#fff", lineWidth: 2 * PEN * SCALE, lineCap: "round" });
      context.beginPath();
      context.moveTo(...last);
      context.lineTo(...(last = at(event)));
      context.stroke();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (last = null));
    dialog.querySelector("#sketch-clear").addEventListener("click", () => this.#clear());
    dialog.querySelector("#sketch-close").addEventListener("click", () => dialog.close());
    dialog.querySelector("#sketch-search").addEventListener("click", () => {
      dialog.close();
      search(this.#vector());
    });
    dialog.querySelector("#sketch-file").addEventListener("change", (event) => this.#load(event.target));
  }

  async #load(input) {
    const [file] = input.files;
    if (!file) return;
    try {
      const picture = await createImageBitmap(file), { canvas, context } = this;
      const scale = Math.min(canvas.width / picture.width, canvas.height / picture.height);
      this.#clear();
      context.drawImage(picture, (canvas.width - picture.width * scale) / 2, (canvas.height - picture.height * scale) / 2, picture.width * scale, picture.height * scale);
      this.#say("");
    } catch {
      this.#say(`${file.name} is no picture that this browser reads`);
    }
    input.value = "";
  }

  #say(text) {
    this.dialog.querySelector("#sketch-note").textContent = text;
  }

  // The mean grey of each square of the canvas.
  #vector() {
    const { data } = this.context.getImageData(0, 0, this.canvas.width, this.canvas.height);
    const grey = (x, y) => {
      const at = 4 * (y * this.canvas.width + x);
      return 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
    };
    return Float32Array.from({ length: this.width * this.height }, (_, i) => {
      const left = (i % this.width) * SCALE, top = Math.floor(i / this.width) * SCALE;
      let sum = 0;
      for (let y = top; y < top + SCALE; ++y) for (let x = left; x < left + SCALE; ++x) sum += grey(x, y);
      return sum / SCALE ** 2;
    });
  }
}
