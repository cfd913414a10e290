#if RAW
  /// The locks replaced others in the same places, and are then taken in both orders.
  extension Case {
    static let emplacedLocks = Case(
      "emplaced-locks", "Two locks in places that had other locks are taken in both orders", is: .cycle,
      isRawOnly: true
    ) { run in
      let shelf = Shelf()
      shelf.take(first: 0)
      shelf.renew()
      run.orders({ shelf.take(first: 0, meeting: run.meet) }, { shelf.take(first: 1, meeting: run.meet) })
    }
  }
#endif
