#if RAW
  import Glibc

  /// As `std::mutex` members: a lock in an object on the heap, which no call initializes.
  extension Case {
    static let zeroedLocks = Case(
      "zeroed-locks", "Two locks of objects, which no call initialized, are taken in both orders", is: .cycle,
      isRawOnly: true
    ) { run in
      let first = Page()
      let second = Page()
      @Sendable func copy(from one: Page, to other: Page) {
        one.lock()
        run.meet()
        other.lock()
        other.unlock()
        one.unlock()
      }
      run.orders({ copy(from: first, to: second) }, { copy(from: second, to: first) })
    }
  }
#endif
