import { describe, expect, it } from 'vitest'
import {
  marksOfPicture,
  aigcOf,
  joinMarks,
  marksOfResult,
  noMarks,
  marksInXmp,
  xmpOf,
} from '../../../src/renderer/engine/media/marks/marks.ts'

const types = 'http://cv.iptc.org/newscodes/digitalsourcetype/'
const trained = `${types}trainedAlgorithmicMedia`
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const packet = (inner: string): Uint8Array =>
  bytes(`\u00ff<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>${inner}</rdf:RDF></x:xmpmeta>\u00ff`)

describe('marks in XMP', () => {
  it.each([
    ['an attribute', `<rdf:Description Iptc4xmpExt:DigitalSourceType="${trained}"/>`],
    ['an attribute in other quotes', `<rdf:Description a:DigitalSourceType = '${trained}'/>`],
    ['an element', `<Iptc4xmpExt:DigitalSourceType>\n${trained}\n</Iptc4xmpExt:DigitalSourceType>`],
    ['an address', `<Iptc4xmpExt:DigitalSourceType rdf:resource="${trained}"/>`],
  ])('are read from %s', (_what, text) => {
    expect(marksInXmp(packet(text))).toEqual({ ...noMarks, sourceTypes: [trained] })
  })

  it('are read from AIGC, and not from the name of a namespace', () => {
    const text = '<rdf:Description xmlns:AIGC="urn:x" TC260:AIGC="{&quot;Label&quot;:&quot;1&quot;,&#x22;a&#34;:2}"/>'
    expect(marksInXmp(packet(text)).aigc).toEqual(['{"Label":"1","a":2}'])
  })

  it.each(['', '<x:xmpmeta', '<x:xmpmeta></x:xmpmeta>', `<x:xmpmeta a:AIGC="${'x'.repeat(9000)}"></x:xmpmeta>`])(
    'are none in %.20s',
    (text) => {
      expect(marksInXmp(bytes(text))).toEqual(noMarks)
    },
  )

  it('of the inputs stay when a result is made, and when a result of it is made', () => {
    const input = { ...noMarks, sourceTypes: [trained], aigc: ['{"Label":"1","ContentProducer":"a & <b>"}'] }
    const first = marksOfResult(false, '{"Label":"1"}', input)
    const read = marksInXmp(bytes(xmpOf(first)))
    expect(read).toEqual({
      ...noMarks,
      sourceTypes: [`${types}compositeWithTrainedAlgorithmicMedia`, trained],
      aigc: ['{"Label":"1"}', ...input.aigc],
    })
    const second = marksOfResult(false, null, joinMarks([read, noMarks]))
    expect(second).toMatchObject({ sourceType: read.sourceTypes[0], aigc: '{"Label":"1"}' })
    expect(joinMarks([marksInXmp(bytes(xmpOf(second)))])).toEqual(read)
  })
})

it.each([
  ['composite', false, []],
  ['compositeWithTrainedAlgorithmicMedia', true, []],
  ['composite', false, [`${types}digitalCapture`]],
  ['compositeWithTrainedAlgorithmicMedia', false, [trained]],
])('marks of a result are %s', (name, isByModel, sourceTypes) => {
  expect(marksOfResult(isByModel, null, { ...noMarks, sourceTypes }).sourceType).toBe(types + name)
})

it('marks of a result have AIGC for China only', () => {
  const aigc = { contentProducer: 'Studio 7', produceId: 'id-1' }
  expect(aigcOf('eu', aigc)).toBeNull()
  expect(JSON.parse(aigcOf('china', aigc) ?? '')).toEqual({
    ...{ Label: '1', ContentProducer: 'Studio 7', ProduceID: 'id-1', ReservedCode1: '' },
    ...{ ContentPropagator: '', PropagateID: '', ReservedCode2: '' },
  })
})

it('AIGC is read from a text of a PNG file', () => {
  const data = bytes('AIGC\0{"Label":"1"}')
  const chunk = new Uint8Array(8 + 12 + data.length)
  chunk.set([0x89, 0x50])
  new DataView(chunk.buffer).setUint32(8, data.length)
  chunk.set(bytes('tEXt'), 12)
  chunk.set(data, 16)
  expect(marksOfPicture(chunk).aigc).toEqual(['{"Label":"1"}'])
})
