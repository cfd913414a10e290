import Dispatch
import GatehouseQueues

/// All waiting steps, in their lanes, and the rules that determine which of them may run.
struct Steps: Sendable {
  /// A step that may run now.
  struct Candidate: Sendable {
    enum Place: Sendable { case loose(Int), lane(Int) }
    let arrival: Int
    let chain: Int
    let place: Place
  }

  /// Steps that may run concurrently with everything else.
  private var loose: [Step] = []
  fileprivate(set) var lanes: [LaneState] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var arrivals = 0
  private var chains = 0
  /// The chain of the step that runs now, until a step that it caused has joined the chain.
  var openChain: Int?

  // MARK: Adding and taking steps

  mutating func add(_ name: StaticString, _ action: Step.Action, to lane: Lane) {
    let step = Step(name: name, action: action, arrival: arrivals, chain: openChain ?? chains)
    arrivals += 1
    if openChain == nil { chains += 1 }
    openChain = nil
    switch lane {
    case .concurrent: loose.append(step)
    case .serial(let queue, let targets):
      let number = number(of: queue)
      var inner = number
      for target in targets {
        let outer = self.number(of: target)
        lanes[inner].target = outer
        inner = outer
      }
      lanes[number].entries.append(.step(step))
      join(number)
    }
  }

  /// The steps that may run now, oldest first.
  mutating func candidates() -> [Candidate] {
    var found: [Candidate] = []
    for (index, step) in loose.enumerated() {
      found.append(Candidate(arrival: step.arrival, chain: step.chain, place: .loose(index)))
    }
    for root in lanes.indices where lanes[root].target == nil && lanes[root].running == nil {
      guard let step = next(in: root)?.step else { continue }
      found.append(Candidate(arrival: step.arrival, chain: step.chain, place: .lane(root)))
    }
    return found.count < 2 ? found : found.sorted { $0.arrival < $1.arrival }
  }

  /// Removes a candidate and returns it. Its lanes are busy until `end`.
  mutating func take(_ candidate: Candidate) -> TakenStep? {
    switch candidate.place {
    case .loose(let index): return TakenStep(step: loose.remove(at: index), lanes: [])
    case .lane(let root):
      guard let next = next(in: root), let lane = next.lanes.first else { return nil }
      lanes[lane].entries.removeFirst()
      for lane in next.lanes { lanes[lane].running = next.step.name }
      return next
    }
  }

  mutating func end(_ taken: TakenStep) { free(taken.lanes) }

  /// Ends a synchronous call on a lane.
  mutating func endTurn(on queue: DispatchQueue) {
    var path = [number(of: queue)]
    while let last = path.last, let target = lanes[last].target { path.append(target) }
    free(path)
  }

  mutating func suspend(_ queue: DispatchQueue) { lanes[number(of: queue)].suspensions += 1 }

  mutating func resume(_ queue: DispatchQueue) {
    // An unknown queue belongs to an earlier schedule, and is empty.
    guard let number = numbers[ObjectIdentifier(queue)] else { return }
    lanes[number].suspensions = max(lanes[number].suspensions - 1, 0)
    join(number)
  }

  // MARK: Lanes

  mutating func number(of queue: DispatchQueue) -> Int {
    if let number = numbers[ObjectIdentifier(queue)] { return number }
    numbers[ObjectIdentifier(queue)] = lanes.count
    lanes.append(LaneState(queue))
    return lanes.count - 1
  }

  private func mayRun(_ lane: Int) -> Bool { lanes[lane].suspensions == 0 && !lanes[lane].entries.isEmpty }

  /// Puts a lane in its target's line, if it has something to run and is not there yet.
  private mutating func join(_ lane: Int) {
    guard let target = lanes[lane].target, !lanes[lane].isInLine, mayRun(lane) else { return }
    lanes[lane].isInLine = true
    lanes[target].entries.append(.lane(lane))
    join(target)
  }

  /// Removes a lane, which comes first, from its target's line.
  private mutating func leave(_ lane: Int, _ target: Int) {
    lanes[lane].isInLine = false
    lanes[target].entries.removeFirst()
  }

  /// The next step of a lane and of the lanes within it, with the lanes that it would run on, its own first.
  private mutating func next(in lane: Int) -> TakenStep? {
    while lanes[lane].suspensions == 0, let first = lanes[lane].entries.first {
      switch first {
      case .step(let step): return TakenStep(step: step, lanes: [lane])
      case .lane(let inner):
        if let next = next(in: inner) { return TakenStep(step: next.step, lanes: next.lanes + [lane]) }
        leave(inner, lane)
      }
    }
    return nil
  }

  /// Frees lanes, each of which targets the next one: nothing runs on them any more.
  private mutating func free(_ path: [Int]) {
    for lane in path { lanes[lane].running = nil }
    for (lane, target) in zip(path, path.dropFirst()) where !mayRun(lane) { leave(lane, target) }
  }
}

// MARK: - Waits

extension Steps {
  /// Whether a synchronous call waits for its turn.
  var hasCallers: Bool {
    lanes.contains { lane in
      lane.entries.contains {
        if case .step(let step) = $0, case .caller = step.action { true } else { false }
      }
    }
  }

  /// One line for each lane that holds up steps.
  var waitReport: [String] {
    lanes.compactMap { lane in
      let waiting = lane.entries.compactMap { entry in
        if case .step(let step) = entry { "\(step.name)" } else { nil }
      }
      guard !waiting.isEmpty || lane.suspensions > 0 else { return nil }
      let why =
        if let running = lane.running { "is held by \(running)" } else if lane.suspensions > 0 {
          "is suspended: its operation has not ended"
        } else { "is free" }
      let line = waiting.isEmpty ? "nothing" : waiting.joined(separator: ", ")
      return "  the queue \(lane.queue.label) \(why); in line: \(line)"
    }
  }
}
