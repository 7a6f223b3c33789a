import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { isPublicAddress, publicFetch } from '../../../../src/main/remote/web-guard.ts'
import { close, listen } from '../../../fixtures/listen.ts'

it.each([
  ...['8.8.8.8', '1.1.1.1', '223.255.255.1'],
  ...['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2620:fe::fe'],
  // Next to those that aren't.
  ...['100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0', '192.167.0.1'],
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

it.each([
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.168.1.1', '198.18.0.1', '168.63.129.16'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '100::1', 'fe80::1'],
  ...['fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::1', '3fff::1'],
  ...['4000::1', '', 'localhost', '1.2.3', '0177.0.0.1', '2130706433'],
])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

const refused = { name: 'MienError', code: 'address-refused' }

it.each([
  // The same one, spelled otherwise.
  ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/'],
  ...['http://0/', 'http://①②⑦.0.0.1/', 'http://127.0.0.1./', 'http://localhost/', 'http://[::1]/'],
  ...['http://[::ffff:127.0.0.1]/', 'http://[0:0:0:0:0:ffff:a00:1]/', 'http://[fd00:ec2::254]/'],
  ...['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1:8080/', 'https://192.168.0.1/'],
  ...['ftp://8.8.8.8/', 'file:///etc/passwd', 'data:text/plain,a'],
])('refuses %s', async (address) => {
  const resolveName = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  await expect(publicFetch({ resolveName })(address)).rejects.toMatchObject(refused)
})

it.each([['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['2606:4700::1111', '::1'], []])(
  'refuses a name with the addresses %s %s',
  async (...addresses) => {
    const resolveName = () => Promise.resolve(addresses.map((address) => ({ address, family: 4 })))
    await expect(publicFetch({ resolveName })('http://clip.example/')).rejects.toMatchObject(refused)
  },
)

/** Serves on 127.0.0.1, the only allowed address here. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer)
  onTestFinished(() => close(server))
  return listen(server)
}
const isAllowed = (address: string): boolean => address === '127.0.0.1'

it('fetches, with the given headers, and follows redirects', async () => {
  const asked: string[] = []
  const port = await serve((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.accept ?? ''}`)
    if (request.url === '/') response.writeHead(302, { location: '/clip.mp4' }).end()
    else response.setHeader('content-type', 'video/mp4').end('a video')
  })
  const headers = { accept: 'video/*' }
  const response = await publicFetch({ isAllowed })(`http://127.0.0.1:${String(port)}/`, { headers })
  expect([response.ok, response.headers.get('content-type')]).toEqual([true, 'video/mp4'])
  expect(await response.text()).toBe('a video')
  expect(asked).toEqual(['/ video/*', '/clip.mp4 video/*'])
})

it.each(['http://127.0.0.2/', '//127.0.0.2/', 'http://[::1]/', 'http://inside.example/', 'file:///etc/passwd'])(
  'refuses a redirect to %s',
  async (location) => {
    let asked = 0
    const port = await serve((_request, response) => {
      asked += 1
      response.writeHead(307, { location }).end()
    })
    const resolveName = () => Promise.resolve([{ address: '127.0.0.2', family: 4 }])
    const fetching = publicFetch({ isAllowed, resolveName })(`http://127.0.0.1:${String(port)}/`)
    await expect(fetching).rejects.toMatchObject(refused)
    expect(asked).toBe(1)
  },
)

it('ends after too many redirects', async () => {
  const port = await serve((_request, response) => response.writeHead(301, { location: '/' }).end())
  await expect(publicFetch({ isAllowed })(`http://127.0.0.1:${String(port)}/`)).rejects.toMatchObject(refused)
})

it('connects to the address that was checked, even if the name has another one afterwards', async () => {
  let resolved = 0
  const resolveName = () => {
    resolved += 1
    return Promise.resolve([{ address: resolved === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
  }
  const port = await serve((request, response) => response.end(request.headers.host))
  const get = publicFetch({ isAllowed, resolveName })
  const response = await get(`http://clip.example:${String(port)}/`)
  expect(await response.text()).toBe(`clip.example:${String(port)}`)
  expect(resolved).toBe(1)
  await expect(get(`http://clip.example:${String(port)}/`)).rejects.toMatchObject(refused)
})

it('stops when it is aborted', async () => {
  const abort = new AbortController()
  const port = await serve(() => abort.abort())
  const fetching = publicFetch({ isAllowed })(`http://127.0.0.1:${String(port)}/`, { signal: abort.signal })
  await expect(fetching).rejects.toMatchObject({ name: 'AbortError' })
})
