// Products, orders and a report, all in memory. The methods are asynchronous as those of a database client would be.

const categories = ['books', 'garden', 'kitchen', 'music', 'sport', 'tools']

function makeProduct(id) {
  const category = categories[id % categories.length]
  return {
    id,
    name: `${category} item ${id}`,
    category,
    price: 100 + ((id * 7919) % 9900), // cents
    stock: (id * 31) % 50,
    tags: ['new', category, id % 2 ? 'odd' : 'even'],
  }
}

export class Shop {
  #products = []
  #orders = [] // the latest 10,000
  #orderCount = 0

  constructor(size) {
    this.#products = Array.from({ length: size }, (_, id) => makeProduct(id))
  }

  async product(id) {
    const product = this.#products[id]
    if (!product) throw Object.assign(new Error(`no product ${id}`), { status: 404 })
    return { ...product, related: await this.#related(product) }
  }

  async search(category, key) {
    const found = this.#products.filter((product) => !category || product.category === category)
    const ordered = found.toSorted((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0))
    return { count: ordered.length, items: ordered.slice(0, 20) }
  }

  async order({ customer, lines }) {
    const priced = await Promise.all(lines.map((line) => this.#price(line)))
    const total = priced.reduce((sum, line) => sum + line.cents, 0)
    const order = { id: this.#orderCount++, customer, lines: priced, total }
    this.#orders[order.id % 10_000] = order
    return order
  }

  async report() {
    const byCategory = new Map()
    for (const { category, price, stock } of this.#products) {
      const row = byCategory.get(category) ?? { products: 0, value: 0 }
      byCategory.set(category, { products: row.products + 1, value: row.value + price * stock })
    }
    return { orders: this.#orderCount, stock: Object.fromEntries(byCategory) }
  }

  async #related({ id, category }) {
    const ids = [1, 2, 3].map((step) => (id + step * categories.length) % this.#products.length)
    return Promise.all(ids.map(async (other) => ({ id: other, category, name: this.#products[other].name })))
  }

  async #price({ product, quantity }) {
    const { name, price } = await this.product(product)
    return { product, name, quantity, cents: price * quantity }
  }
}
