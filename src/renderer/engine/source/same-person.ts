/** @file Compares the people of several face pictures. */
import { MienError } from '@shared/errors.ts'
import { codedPoints } from '../face/coded-points.ts'
import type { Caller } from '../common/rpc.ts'
import type { AnalysisMethods } from '../face/analysis-methods.ts'
import { fetchPicture } from '../media/pixels/picture.ts'
import { cosineOf } from '../people/cosine.ts'
import { openEmbedder, type FaceEmbedder } from '../people/face-embedder.ts'
import { findSourceFaces, type PictureFaces } from './prepare-source.ts'

/** The part of a job that is needed. */
interface Context {
  analyst: Caller<AnalysisMethods>
  signal: AbortSignal
}

/**
 * Below this cosine, two pictures surely show different people. Of the different people in nine portraits, the most alike
 * have 0.27; of one person years apart, 0.67.
 */
const differentCosine = 0.3

/**
 * Indices of the pictures that show somebody else than the first one. Pictures whose face can't be read are left out:
 * whoever uses them says so.
 */
export async function oddPictures(urls: readonly string[], context: Context): Promise<number[]> {
  if (urls.length < 2) return []
  return withEmbedder(async (embedder) => {
    const vectors: (Float32Array | null)[] = []
    for (const url of urls) vectors.push(await embeddingAt(url, embedder, context))
    const [first = null] = vectors
    return vectors.flatMap((vector, at) => (first && vector && cosineOf(first, vector) < differentCosine ? [at] : []))
  })
}

/** @throws MienError `picture-other-person` unless the picture shows the person of `like`, as far as can be seen */
export async function expectSamePerson(found: PictureFaces, like: string, context: Context): Promise<void> {
  await withEmbedder(async (embedder) => {
    const first = await embeddingAt(like, embedder, context)
    if (first && cosineOf(first, await embeddingOf(found, embedder)) < differentCosine)
      throw new MienError('picture-other-person')
  })
}

async function withEmbedder<T>(work: (embedder: FaceEmbedder) => Promise<T>): Promise<T> {
  const embedder = await openEmbedder()
  try {
    return await work(embedder)
  } finally {
    embedder.close()
  }
}

/** Null if the picture or its face can't be read. */
async function embeddingAt(
  url: string,
  embedder: FaceEmbedder,
  { analyst, signal }: Context,
): Promise<Float32Array | null> {
  try {
    const found = await findSourceFaces(await fetchPicture(url, signal), analyst)
    found.picture.close()
    return await embeddingOf(found, embedder)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MienError && error.code !== 'model-failed') return null
    throw error
  }
}

const embeddingOf = ({ input, faces }: PictureFaces, embedder: FaceEmbedder): Promise<Float32Array> =>
  embedder.embed(input.patch, input.patch.color, codedPoints(faces[0].points, input.view))
