#if RAW
  /// A free list in one block: the lock that is taken first is made in the first place, and later in the second one.
  extension Case {
    static let emplacedAnew = Case(
      "emplaced-anew", "Two locks change their places in one block, and are taken in one order", is: .innocent,
      isRawOnly: true
    ) { run in
      let shelf = Shelf()
      for turn in 0..<6 {
        shelf.renew()
        run.together({ shelf.take(first: turn % 2) })
      }
    }
  }
#endif
