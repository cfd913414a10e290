#if RAW
  /// The default lock of glibc prefers readers: no reader waits for a writer that only waits.
  extension Case {
    static let readersFirst = Case(
      "readers-first", "Two locks that prefer readers are read in both orders, and written to alone", is: .innocent,
      isRawOnly: true
    ) { run in
      let people = ReadWriteLock(prefersWriters: false)
      let places = ReadWriteLock(prefersWriters: false)
      run.together(
        { for _ in 0..<10 { people.read { places.read {} } } },
        { for _ in 0..<10 { places.read { people.read {} } } },
        { for _ in 0..<10 { people.write {} } },
        { for _ in 0..<10 { places.write {} } })
    }
  }
#endif
