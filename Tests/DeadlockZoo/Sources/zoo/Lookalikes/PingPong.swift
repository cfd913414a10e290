/// Two queues that give each other signs: each gives before it waits.
extension Case {
  static let pingPong = Case("ping-pong", "Two queues give each other signs in turn", is: .innocent, in: [.many]) {
    run in
    let ping = Semaphore(value: 0)
    let pong = Semaphore(value: 0)
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    run.together(
      {
        left.sync {
          for _ in 0..<10 {
            ping.signal()
            pong.wait()
          }
        }
      },
      {
        right.sync {
          for _ in 0..<10 {
            ping.wait()
            pong.signal()
          }
        }
      })
  }
}
