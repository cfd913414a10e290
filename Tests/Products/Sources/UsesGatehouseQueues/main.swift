import GatehouseQueues

let queue = SerialQueue(label: "numbers")
let lock = Lock(0)
for number in 1...10 { queue.async { lock.withLock { $0 += number } } }
let sum = queue.sync { lock.withLock { $0 } }
precondition(sum == 55)
print("GatehouseQueues: ten blocks added up to \(sum).")
