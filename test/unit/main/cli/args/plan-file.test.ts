import { describe, expect, it } from 'vitest'
import { readPlan as readPlanIn } from '../../../../../src/main/cli/args/plan-file.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

const readPlan = (content: string, name: string) => readPlanIn(content, name, (path) => path)

describe('a plan', () => {
  it('is read from CSV', () => {
    const [first, second] = readPlan(
      '\ufeffface,target,title,likeness,keep,range,rest\r\n' +
        'a.jpg | b.jpg,"clip, one.mp4",Launch,80,none,0:01-0:02|3-4,keep\r\n\r\n' +
        'a.jpg,two.mp4,,,,,\r\n',
      'plan.csv',
    )
    const part = (fromMs: number, toMs: number) => ({ fromMs, toMs })
    expect(first).toEqual({
      ...{ where: 'line 2', faces: [{ personId: null, pictures: ['a.jpg', 'b.jpg'] }], target: 'clip, one.mp4' },
      ...{ title: 'Launch', options: { likeness: 80, keep: [] } },
      range: { parts: [part(1000, 2000), part(3000, 4000)], rest: 'keep' },
    })
    expect(second).toEqual({
      ...{ where: 'line 4', faces: [{ personId: null, pictures: ['a.jpg'] }], target: 'two.mp4' },
      ...{ title: null, options: {}, range: null },
    })
  })

  it('names files from its folder', () => {
    const at = (path: string): string => `/plans/${path}`
    expect(readPlanIn('cast,target\n1=a.jpg|1=b.jpg,c.mp4\n', 'plan.csv', at)).toMatchObject([
      { faces: [{ personId: '1', pictures: ['/plans/a.jpg', '/plans/b.jpg'] }], target: '/plans/c.mp4' },
    ])
  })

  it('is read with semicolons, as spreadsheets in many countries write it', () => {
    expect(readPlan('Face;Target\na.jpg;b.mp4\n', 'plan.csv')).toMatchObject([
      { faces: [{ pictures: ['a.jpg'] }], target: 'b.mp4' },
    ])
  })

  it('is read from JSON', () => {
    const json = { swaps: [{ face: ['a.jpg', 'b.jpg'], target: 'c.mp4', likeness: 70, range: ['1-2'] }] }
    expect(readPlan(JSON.stringify(json), 'plan.json')).toMatchObject([
      {
        faces: [{ pictures: ['a.jpg', 'b.jpg'] }],
        target: 'c.mp4',
        options: { likeness: 70 },
        range: { rest: 'drop' },
      },
    ])
  })

  it.each([
    ['CSV', 'cast,target\n1=a.jpg | Ada=b.jpg | 1=c.jpg,d.mp4\n'],
    ['JSON', JSON.stringify({ swaps: [{ cast: ['1=a.jpg', 'Ada=b.jpg', '1=c.jpg'], target: 'd.mp4' }] })],
  ])('casts several people, in %s', (_format, content) => {
    expect(readPlan(content, 'plan')[0]?.faces).toEqual([
      { personId: '1', pictures: ['a.jpg', 'c.jpg'] },
      { personId: 'Ada', pictures: ['b.jpg'] },
    ])
  })

  it('changes only the options that a line names', () => {
    const [first] = readPlan('face,target,size,quality\na.jpg,b.mp4,720p,\n', 'plan.csv')
    expect(first?.options).toEqual({ size: '720p' })
  })

  it.each([
    ['a size that was the longest side', 'face,target,size\na.jpg,b.mp4,720\n', /^line 2: size 720: write 720p for/],
    ['a face and a cast', 'face,cast,target\na.jpg,1=b.jpg,c.mp4\n', 'line 2: Use either --face or --cast'],
    [
      'a cast without a person',
      'cast,target\n1=a.jpg,c.mp4\nb.jpg,c.mp4\n',
      'line 3: --cast b.jpg isn’t a person and a picture, such as p1=face.jpg',
    ],
    [
      'two lines with mistakes',
      'face,target,likeness\na.jpg,b.mp4,50\na.jpg,,50\na.jpg,b.mp4,\na.jpg,b.mp4,\na.jpg,b.mp4,\na.jpg,b.mp4,200\n',
      'line 3: target is missing; line 7: --likeness must be a whole number from 0 to 100',
    ],
    ['an unknown column', 'face,target,speed\na,b,c\n', 'unknown column: speed'],
    ['nothing in it', 'face,target\n', 'it has no swaps'],
    ['nothing at all', '', 'it has no swaps'],
    ['a cut-off JSON', '{"swaps": [', /JSON/],
    ['another JSON', '{"tasks": []}', 'it needs a list called "swaps", and nothing else'],
    ['a mistake in JSON', '{"swaps": [{"face": "a", "target": "b"}, {"face": "a"}]}', /^swap 2: target/],
    ['a wrong range', 'face,target,range\na,b,9-3\n', /^line 2: .*begin before it ends/],
    ['too few cells', 'face,target\na\nb,c\n', /^line 2: /],
    ['an open quote', 'face,target\n"a,b\n', /Quote|quote/],
  ])('with %s says which', (_what, content, problems) => {
    const said = typeof problems === 'string' ? problems : (expect.stringMatching(problems) as string)
    const thrown = thrownBy(() => readPlan(content, 'plan'))
    expect(thrown).toMatchObject({ code: 'plan-invalid', details: { problems: said } })
  })
})
