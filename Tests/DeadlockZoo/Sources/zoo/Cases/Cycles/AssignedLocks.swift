#if RAW
  /// A call initialized the locks, an assignment did so again, and they are then taken in both orders.
  extension Case {
    static let assignedLocks = Case(
      "assigned-locks", "Two locks that were initialized twice are taken in both orders", is: .cycle, isRawOnly: true
    ) { run in
      let shelf = Shelf(isMade: true)
      shelf.take(first: 0)
      shelf.renew()
      run.orders({ shelf.take(first: 0, meeting: run.meet) }, { shelf.take(first: 1, meeting: run.meet) })
    }
  }
#endif
