/** @file Compares the people of several face pictures. */
import type { FaceFlaw } from '@shared/engine/engine.ts'
import { MienError, toErrorBody, type ErrorBody } from '@shared/mien-error.ts'
import { codedPoints } from '../face/landmarks.ts'
import type { Caller } from '../common/rpc.ts'
import type { AnalysisMethods } from '../face/analyst.ts'
import { fetchPicture } from '../media/pixels/picture.ts'
import { cosineOf } from '../people/cosine.ts'
import { openEmbedder, type FaceEmbedder } from '../people/face-embedder.ts'
import { findSourceFaces, judgeFace, type PictureFaces } from './prepare-source.ts'

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

/** A picture that can't be used beside the first one: its index, and why. */
interface OddPicture {
  picture: number
  error: ErrorBody
}

/** Pictures after the first that don't show its person well enough. If the first can't be read, whoever uses it says so. */
export async function oddPictures(urls: readonly string[], context: Context): Promise<OddPicture[]> {
  const [like, ...more] = urls
  if (like === undefined || more.length === 0) return []
  return withEmbedder(async (embedder) => {
    const first = await readOr(context, async () => embeddingAt(like, embedder, context))
    const odd: OddPicture[] = []
    if (first instanceof MienError) return odd
    for (const [at, url] of more.entries()) {
      const error = await readOr(context, async () => {
        const found = await facesAt(url, context)
        const { flaws } = await judgeFace(found, context.analyst)
        return personError(cosineOf(first, await embeddingOf(found, embedder)), flaws)
      })
      if (error) odd.push({ picture: at + 1, error: toErrorBody(error) })
    }
    return odd
  })
}

/** @throws MienError as `personError`, unless the picture shows the person of `like`, as far as can be seen */
export async function expectSamePerson(
  found: PictureFaces,
  flaws: readonly FaceFlaw[],
  like: string,
  context: Context,
): Promise<void> {
  await withEmbedder(async (embedder) => {
    const first = await readOr(context, async () => embeddingAt(like, embedder, context))
    const error =
      first instanceof MienError ? null : personError(cosineOf(first, await embeddingOf(found, embedder)), flaws)
    if (error) throw error
  })
}

/**
 * Why a picture isn't taken for one of the same person; null if it is. A face can lose its likeness by what covers it.
 * @param cosine of its embedding and the first picture's
 */
export function personError(cosine: number, flaws: readonly FaceFlaw[]): MienError | null {
  if (cosine >= differentCosine) return null
  return flaws.includes('covered')
    ? new MienError('face-covered', { part: 'unsure' })
    : new MienError('picture-other-person')
}

/** Begins to load the recogniser for `work`. @throws MienError `model-failed` */
export async function withEmbedder<T>(work: (embedder: FaceEmbedder) => Promise<T>): Promise<T> {
  const embedder = openEmbedder()
  try {
    return await work(embedder)
  } finally {
    embedder.close()
  }
}

/** What `read` returns, or the error if the picture or its face can't be used. */
async function readOr<T>({ signal }: Context, read: () => Promise<T>): Promise<T | MienError> {
  try {
    return await read()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MienError && error.code !== 'model-failed') return error
    throw error
  }
}

async function facesAt(url: string, { analyst, signal }: Context): Promise<PictureFaces> {
  const found = await findSourceFaces(await fetchPicture(url, signal), analyst)
  found.picture.close()
  return found
}

/** Of the largest face in a picture. @throws MienError the errors of `findSourceFaces` */
export const embeddingAt = async (url: string, embedder: FaceEmbedder, context: Context): Promise<Float32Array> =>
  embeddingOf(await facesAt(url, context), embedder)

const embeddingOf = ({ input, faces }: PictureFaces, embedder: FaceEmbedder): Promise<Float32Array> =>
  embedder.embed(input.patch, input.patch.color, codedPoints(faces[0].points, input.view))
