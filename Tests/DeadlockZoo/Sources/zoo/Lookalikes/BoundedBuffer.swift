/// A producer waits for room and says that there is something; a consumer waits for something and says that there is
/// room.
extension Case {
  static let boundedBuffer = Case(
    "bounded-buffer", "A producer and a consumer with two semaphores", is: .innocent, in: [.many]
  ) {
    run in
    let room = Semaphore(value: 4)
    let things = Semaphore(value: 0)
    let buffer = Lock([Int]())
    let producer = SerialQueue(label: "producer")
    let consumer = SerialQueue(label: "consumer")
    run.together(
      {
        producer.sync {
          for thing in 0..<20 {
            room.wait()
            buffer.withLock { $0.append(thing) }
            things.signal()
          }
        }
      },
      {
        consumer.sync {
          for _ in 0..<20 {
            things.wait()
            buffer.withLock { _ = $0.removeFirst() }
            room.signal()
          }
        }
      })
  }
}
