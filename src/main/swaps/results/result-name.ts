/** @file File names for results. Pure. */
import nodePath, { type PlatformPath } from 'node:path'
import { nameFrom } from '@shared/files/name-template.ts'
import type { Task } from '@shared/tasks/task.ts'

/** File name of a swap's result, without extension. @param at epoch ms */
export function resultName(
  task: Pick<Task, 'title' | 'face' | 'cast' | 'video' | 'batch'>,
  template: string,
  at: number,
): string {
  const { title, face, cast, video, batch } = task
  const faces = (cast.length > 0 ? cast.map((each) => each.face) : [face]).map(({ name }) => name)
  const people = cast.flatMap(({ personName }) => personName ?? [])
  return nameFrom(template, { title, faces, target: video.name, people, at, batch })
}

/** `name.ext`, `name 2.ext`, `name 3.ext`, … infinite. */
export function* fileNames(name: string, extension: string): Generator<string, never> {
  yield `${name}.${extension}`
  for (let count = 2; ; count += 1) yield `${name} ${String(count)}.${extension}`
}

/** A result's file name and its folder's display name. `paths`: path functions of this system. */
export function placeNames(
  path: string,
  { folder, folderName }: { folder: string; folderName: string },
  paths: Pick<PlatformPath, 'basename' | 'dirname'> = nodePath,
): { fileName: string; folderName: string } {
  const isThere = paths.dirname(path) === folder
  // An earlier run may have saved it to another folder.
  return { fileName: paths.basename(path), folderName: isThere ? folderName : paths.basename(paths.dirname(path)) }
}
