// Types of summand.js.

/** Where a file comes from. A URL is read in ranges where its server knows them. */
export type Source = ArrayBuffer | ArrayBufferView | Blob | URL | string;

/** Numbers; all of them bigint in an index with an id from 2^53 on. */
export type Id = number | bigint;

export interface OpenOptions {
  /** False: plain JavaScript even where the browser has WebAssembly. The answers are the same. */
  wasm?: boolean;
}

/** Rejects with an Error that names the file and what is wrong with it. */
export function open(source: Source, options?: OpenOptions): Promise<Index>;

export interface SearchOptions {
  /** How many answers; 10 where nothing is said. */
  k?: number;
  /** The ids that may be returned. */
  filter?: ((id: Id) => boolean) | Set<Id>;
  /** Cells to visit (inverted indexes). */
  probes?: number;
  /** Cells up to so many times as far from the query as its eighth nearest one, at least 1. */
  reach?: number;
  /** Instead: visit cells until their lists hold as many vectors. */
  candidates?: number;
  /** Candidates that the second layer scores; 0: none. */
  refine?: number;
}

export interface Found {
  /** Best first; fewer than k where fewer were found. */
  ids: Id[];
  /** Smaller is better: squared distances, or negative inner products. */
  scores: Float32Array;
}

export interface Explanation {
  /** The word that the code names in each dictionary. */
  code: number[];
  /** The query's table: an entry for each dictionary and word. */
  table: Float32Array[];
  /** The entries of the code; the score is their sum, the bias and the offset. */
  terms: number[];
  bias: number;
  offset: number;
}

export class Index {
  readonly size: number;
  readonly dimensions: number;
  readonly metric: "euclidean" | "ip" | "cosine";
  readonly method: string;
  readonly codeBytes: number;
  readonly centre: Float32Array;
  search(query: ArrayLike<number>, options?: SearchOptions): Found;
  /** The words that a vector is coded by. */
  code(id: Id): number[];
  /** Word k of dictionary m where the data lie; a flat code stands for centre + Σ word(m, code[m]). */
  word(m: number, k: number): Float32Array;
  /** What the code of a vector stands for. */
  approximation(id: Id): Float32Array;
  /** How a flat index comes to a score. */
  explain(query: ArrayLike<number>, id: Id): Explanation;
}

/** Opens a model file, to send queries as codes (docs/queries.md). */
export function openModel(source: Source): Promise<QueryEncoder>;

export class QueryEncoder {
  readonly dimensions: number;
  readonly dictionaries: number;
  readonly words: number;
  /** The same codes as include/summand/client.h. More rounds, smaller error. */
  encode(vector: ArrayLike<number>, rounds?: number): Uint8Array;
  /** A code file, byte for byte as the tool writes it. */
  codeFile(codes: ArrayLike<number>): Uint8Array;
}
