// Hono on its Node adapter: a text route, JSON out, JSON in and out.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.get('/', (context) => context.text('Hello from Hono'))
app.get('/json', (context) => context.json({ hello: 'world' }))
app.post('/json', async (context) => context.json({ received: await context.req.json() }))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: { port: number }) => {
  console.log(`port=${info.port}`)
})
