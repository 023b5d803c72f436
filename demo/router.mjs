// Routes by path segment, with `:name` parameters, behind a chain of async middleware.

class Segment {
  children = new Map()
  parameter = null // { name, segment } of a `:name` child
  handlers = new Map() // by method
}

export class Router {
  #root = new Segment()
  #middleware = []

  use(middleware) {
    this.#middleware.push(middleware)
    return this
  }

  get(path, handler) {
    return this.#add('GET', path, handler)
  }

  post(path, handler) {
    return this.#add('POST', path, handler)
  }

  // Runs the middleware, then the handler; returns the context with status, headers and body.
  async handle(request) {
    const url = new URL(request.url, 'http://127.0.0.1')
    const { handler, params } = this.#match(request.method, url.pathname)
    const context = { request, url, params, status: 200, headers: {}, body: null }
    const chain = [...this.#middleware, handler]
    const run = (index) => chain[index](context, () => run(index + 1))
    await run(0)
    return context
  }

  #add(method, path, handler) {
    let segment = this.#root
    for (const part of path.split('/').filter(Boolean)) segment = descend(segment, part)
    segment.handlers.set(method, handler)
    return this
  }

  #match(method, pathname) {
    const params = {}
    let segment = this.#root
    for (const part of pathname.split('/').filter(Boolean)) {
      const fixed = segment.children.get(part)
      if (!fixed && segment.parameter) params[segment.parameter.name] = decodeURIComponent(part)
      segment = fixed ?? segment.parameter?.segment
      if (!segment) break
    }
    return { handler: segment?.handlers.get(method) ?? notFound, params }
  }
}

function descend(segment, part) {
  if (part.startsWith(':')) {
    segment.parameter ??= { name: part.slice(1), segment: new Segment() }
    return segment.parameter.segment
  }
  if (!segment.children.has(part)) segment.children.set(part, new Segment())
  return segment.children.get(part)
}

async function notFound(context) {
  throw Object.assign(new Error(`nothing at ${context.url.pathname}`), { status: 404 })
}
