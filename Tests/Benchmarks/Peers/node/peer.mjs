// Debian's node-jose is the package `jose` by panva.
import { createPublicKey, createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const place = '/usr/share/nodejs/jose'
const require = createRequire(import.meta.url)
const { jwtVerify } = require(place)
const { version } = require(`${place}/package.json`)

const [folder, algorithm, seconds] = process.argv.slice(2)
const read = (name) => readFileSync(`${folder}/${name}`)
const token = read(`${algorithm}.jwt`).toString()
const key = algorithm === 'HS256' ? createSecretKey(read('HS256.key')) : createPublicKey(read(`${algorithm}.pem`))
const options = {
  algorithms: [algorithm], issuer: read('issuer').toString(), audience: read('audience').toString(),
}

const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function verify(seconds) {
  const begin = processorTime()
  let count = 0
  let used = 0
  do {
    for (let number = 0; number < 20; number++) await jwtVerify(token, key, options)
    count += 20
    used = processorTime() - begin
  } while (used < seconds)
  return [count, used]
}

await verify(Number(seconds) / 4)
const [count, used] = await verify(Number(seconds))
console.log(count, used, `${version} (Node ${process.versions.node}, OpenSSL ${process.versions.openssl})`)
