#if RAW
  /// A free list whose locks a call initialized at first, and an assignment later: they are other locks then.
  extension Case {
    static let assignedAnew = Case(
      "assigned-anew", "Two initialized locks get new values, and change their order once", is: .innocent,
      isRawOnly: true
    ) { run in
      let shelf = Shelf(isMade: true)
      run.together({ shelf.take(first: 0) })
      shelf.renew()
      run.together({ shelf.take(first: 1) })
    }
  }
#endif
