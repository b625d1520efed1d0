// Texts as queries. A text is cut into words of a vocabulary; its vector is the mean of theirs, which are what the codes of
// an index stand for.
//
// It is cut as models of subwords do (byte pair encoding): small letters, a bar for each blank and one before the text.
// Neighbours are joined as long as that gives a word of the vocabulary, those first whose word comes first in it.

const BAR = "\u2581";
const byteName = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

export class Words {
  constructor(index, vocabulary) {
    this.index = index;
    this.numbers = new Map(vocabulary.map((word, number) => [word, number]));
  }

  // The words of a text.
  cut(text) {
    const letters = [...BAR + text.trim().toLowerCase().replace(/\s+/g, BAR)], { numbers } = this;
    const words = letters.flatMap((letter) => (numbers.has(letter) ? [letter] : Array.from(new TextEncoder().encode(letter), byteName)))
      .filter((word) => numbers.has(word));
    for (;;) {
      let first = Infinity, place = -1;
      for (let i = 0; i + 1 < words.length; ++i) {
        const number = numbers.get(words[i] + words[i + 1]);
        if (number < first) [first, place] = [number, i];
      }
      if (place < 0) return words;
      words.splice(place, 2, words[place] + words[place + 1]);
    }
  }

  // The mean of the words' vectors.
  vector(words) {
    const sum = new Float32Array(this.index.dimensions);
    for (const word of words) this.index.approximation(this.numbers.get(word)).forEach((x, d) => (sum[d] += x / words.length));
    return sum;
  }
}

export const spoken = (word) => word.replaceAll(BAR, "");
