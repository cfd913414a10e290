#if RAW
  /// Objects come and go, at the same addresses, and their locks are always taken in the order of their making.
  extension Case {
    static let zeroedInOrder = Case(
      "zeroed-in-order", "Locks of objects in memory that is used again, always in one order", is: .innocent,
      isRawOnly: true
    ) { run in
      @Sendable func copy() {
        for turn in 0..<50 {
          // The allocator may hand out two addresses in either order.
          let pages = [Page(), Page(), Page()]
          for pair in [(0, 1), (1, 2), (0, 2)] where turn % 2 == 0 || pair.0 == 0 {
            pages[pair.0].lock()
            pages[pair.1].lock()
            pages[pair.1].unlock()
            pages[pair.0].unlock()
          }
        }
      }
      run.together(copy, copy)
    }
  }
#endif
