// Checksums and identities.

const CRC_TABLES = crcTables();

// Row i of the tables takes a byte i places further.
function crcTables() {
  const tables = new Uint32Array(8 * 256);
  for (let i = 0; i < 256; ++i) {
    let value = i;
    for (let bit = 0; bit < 8; ++bit) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    tables[i] = value;
  }
  for (let i = 256; i < tables.length; ++i) tables[i] = (tables[i - 256] >>> 8) ^ tables[tables[i - 256] & 255];
  return tables;
}

// CRC-32 as in zlib, eight bytes at a time.
export function crc32(bytes) {
  const t = CRC_TABLES;
  let crc = ~0, i = 0;
  for (; i + 8 <= bytes.length; i += 8) {
    const low = crc ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    crc = t[1792 + (low & 255)] ^ t[1536 + ((low >>> 8) & 255)] ^ t[1280 + ((low >>> 16) & 255)] ^
      t[1024 + (low >>> 24)] ^ t[768 + bytes[i + 4]] ^ t[512 + bytes[i + 5]] ^ t[256 + bytes[i + 6]] ^ t[bytes[i + 7]];
  }
  for (; i < bytes.length; ++i) crc = t[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

// The 64-bit hash of the library (splitmix64 of each word), in halves of 32 bits. Feed it arrays as the library does:
// `begin` with the number of bytes, then their words of 32 bits, then `end`.
export class Hash {
  high = 0;
  low = 0;
  #half = -1;
  #waiting = 0;

  begin(bytes) {
    this.#mix(Math.floor(bytes / 2 ** 32), bytes >>> 0);
    this.#half = -1;
  }

  word(bits) {
    if (this.#half < 0) {
      this.#half = 0;
      this.#waiting = bits;
      return;
    }
    this.#half = -1;
    this.#mix(bits, this.#waiting);
  }

  end() {
    if (this.#half >= 0) this.#mix(0, this.#waiting);
    this.#half = -1;
  }

  words(array) {
    this.begin(4 * array.length);
    for (const bits of array) this.word(bits);
    this.end();
  }

  text() {
    const digits = (half) => (half >>> 0).toString(16).padStart(8, "0");
    return digits(this.high) + digits(this.low);
  }

  #mix(high, low) {
    this.high ^= high;
    this.low ^= low;
    const sum = (this.low >>> 0) + 0x7f4a7c15;
    this.high = (this.high + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.low = sum | 0;
    this.#xorShift(30);
    this.#multiply(0xbf58476d, 0x1ce4e5b9);
    this.#xorShift(27);
    this.#multiply(0x94d049bb, 0x133111eb);
    this.#xorShift(31);
  }

  // x ^= x >> bits
  #xorShift(bits) {
    const low = (this.low >>> bits) | (this.high << (32 - bits));
    this.high ^= this.high >>> bits;
    this.low ^= low;
  }

  #multiply(high, low) {
    const a = this.low >>> 16, b = this.low & 0xffff, c = low >>> 16, d = low & 0xffff;
    const cross = a * d, other = b * c;
    const middle = ((b * d) >>> 16) + (cross & 0xffff) + (other & 0xffff);
    const carry = a * c + (cross >>> 16) + (other >>> 16) + (middle >>> 16);
    this.high = (carry + Math.imul(this.high, low) + Math.imul(this.low, high)) | 0;
    this.low = Math.imul(this.low, low);
  }
}
