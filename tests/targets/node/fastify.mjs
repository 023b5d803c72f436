// Fastify with async handlers. Plain JavaScript: `node --jitless` has no WebAssembly, hence strips no types.
import Fastify from 'fastify'

const paragraphs = Array.from({ length: 6 }, (_, index) => ({
  index,
  kind: 'paragraph',
  text: `Paragraph ${index} of a nested document, long enough to be worth serialising.`,
}))
const nested = {
  id: 'd1',
  title: 'Nested document',
  tags: ['a', 'b', 'c', 'd'],
  author: { name: 'Ann', links: { home: '/ann', feed: '/ann/feed' } },
  paragraphs,
}

const app = Fastify()
app.get('/', async () => ({ ok: true }))
app.get('/json', async () => nested)
app.get('/loop', async () => {
  let sum = 0
  for (let i = 0; i < 10000; i++) sum += i * i
  return { sum }
})

await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`port=${app.server.address().port}`)
