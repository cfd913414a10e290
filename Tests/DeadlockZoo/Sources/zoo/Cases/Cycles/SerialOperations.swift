#if RAW
  import Foundation

  /// An operation waits for a queue whose block waits for an operation after it. Only one of them runs at a time.
  extension Case {
    static let serialOperations = Case(
      "serial-operations", "An operation queue of width one and a queue wait for one another", is: .cycle,
      isRawOnly: true
    ) { run in
      let images = OperationQueue()
      images.maxConcurrentOperationCount = 1
      let disk = SerialQueue(label: "disk")
      let isDecoding = Event()
      let isPurging = Event()
      run.orders(
        {
          let operation = BlockOperation {
            isDecoding.happen()
            if run.hangs { isPurging.wait() }
            disk.sync {}
          }
          images.addOperations([operation], waitUntilFinished: true)
        },
        {
          if run.hangs { isDecoding.wait() }
          disk.sync {
            isPurging.happen()
            images.addOperations([BlockOperation {}], waitUntilFinished: true)
          }
        })
    }
  }
#endif
