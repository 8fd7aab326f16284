// answerOrders reads orders, one line of JSON each, {"do": name, ...}, and answers
// each with one line: {"value": what the function of that name returns}.
import { createInterface } from 'node:readline'

export function answerOrders(by) {
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const order = JSON.parse(line)
    let answer
    try {
      answer = { value: await by[order.do](order) }
    } catch (e) {
      answer = { error: String(e && e.message || e) }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  })
}
