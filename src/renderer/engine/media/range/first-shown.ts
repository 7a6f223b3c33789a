import { EncodedPacketSink, type InputVideoTrack } from 'mediabunny'

const metadataOnly = { metadataOnly: true }

/**
 * The first frame that players show: the first key frame. Recordings may begin in the middle of a group; the frames before
 * need others that are missing. So do frames that come after the key frame and are shown before it.
 * @returns its time in seconds, and the number of packets of frames before it
 */
export async function firstShown(video: InputVideoTrack): Promise<{ time: number; hidden: number }> {
  const sink = new EncodedPacketSink(video)
  const key = await sink.getFirstKeyPacket(metadataOnly)
  if (!key) return { time: await video.getFirstTimestamp(), hidden: 0 }
  let hidden = 0
  let hasKey = false
  for await (const { timestamp } of sink.packets(undefined, undefined, metadataOnly)) {
    hasKey ||= timestamp === key.timestamp
    // Those after the key frame come before all that is shown later.
    if (hasKey && timestamp > key.timestamp) break
    if (timestamp < key.timestamp) hidden += 1
  }
  return { time: key.timestamp, hidden }
}
