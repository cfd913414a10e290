/// No thread ever keeps a reader out.
extension Case {
  static let readers = Case(
    "readers", "Concurrent queues without barriers, in both orders and in themselves", is: .innocent
  ) { run in
    let people = ConcurrentQueue(label: "people")
    let places = ConcurrentQueue(label: "places")
    run.together(
      { people.sync { places.sync { people.sync {} } } },
      { places.sync { people.sync { places.sync {} } } })
  }
}
