// The server that ./quickstart profiles: a small shop with the work of a usual API. A router, middleware, promises,
// JSON in and out, and garbage. Prints "listening on PORT" once it accepts connections on 127.0.0.1.
import { createServer } from 'node:http'
import { Router } from './router.mjs'
import { Shop } from './shop.mjs'

const shop = new Shop(2000)

async function readJson(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

async function requestId(context, next) {
  context.headers['x-request-id'] = Math.random().toString(36).slice(2)
  await next()
}

async function errorsAsJson(context, next) {
  try {
    await next()
  } catch (error) {
    context.status = error instanceof SyntaxError ? 400 : (error.status ?? 500)
    context.body = { error: error.message }
  }
}

const router = new Router()
  .use(requestId)
  .use(errorsAsJson)
  .get('/products', async (context) => {
    const { category, sort } = Object.fromEntries(context.url.searchParams)
    context.body = await shop.search(category, sort ?? 'price')
  })
  .get('/products/:id', async (context) => {
    context.body = await shop.product(Number(context.params.id))
  })
  .post('/orders', async (context) => {
    context.status = 201
    context.body = await shop.order(await readJson(context.request))
  })
  .get('/report', async (context) => {
    context.body = await shop.report()
  })

const server = createServer(async (request, response) => {
  const context = await router.handle(request)
  const body = JSON.stringify(context.body)
  response.writeHead(context.status, {
    ...context.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on ${server.address().port}`)
})
