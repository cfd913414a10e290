#if RAW
  import Glibc

  /// A lock that prefers writers makes a reader wait behind a writer that waits for another reader.
  extension Case {
    static let writersFirst = Case(
      "writers-first", "Two locks that prefer writers are read in both orders, and written to", is: .cycle,
      isRawOnly: true
    ) { run in
      let people = ReadWriteLock(prefersWriters: true)
      let places = ReadWriteLock(prefersWriters: true)
      @Sendable func read(_ one: ReadWriteLock, then other: ReadWriteLock) {
        one.read {
          run.meet()
          if run.hangs { usleep(200_000) }  // so that both writers wait
          other.read {}
        }
      }
      @Sendable func write(_ lock: ReadWriteLock) {
        run.meet()
        lock.write {}
      }
      run.orders(
        { read(people, then: places) }, { read(places, then: people) }, { write(people) }, { write(places) })
    }
  }
#endif
