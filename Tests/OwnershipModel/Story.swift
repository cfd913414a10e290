import GatehouseSchedules

/// Steps in an order that chance alone finds too seldom.
enum Story: CaseIterable {
  /// A stranger verifies an address, adds a second factor and moves the account to the address of another person, who
  /// follows the link and later proves the address.
  case keptOut
  /// An account is moved, and an administrator then sets its address: the present one again, or another one.
  case repaired
  /// An owner signs in with a new factor. A reader of their old mail comes days later.
  case oldMail
  /// A thief of a session adds a second factor, and signs in with it. The owner removes it, perhaps days later.
  case stolen

  /// The picks of one of the stories. Who makes the calls, and how, is left to chance.
  static func told(by numbers: inout SplitMix) -> [Int] {
    let story = allCases[numbers.below(allCases.count)]
    let persons = Person.allCases.count
    let stranger = numbers.below(persons)
    let owner = (stranger + 1 + numbers.below(persons - 1)) % persons
    return story.steps(stranger, owner, &numbers).flatMap { step in
      [step.action.rawValue, step.person] + (0..<Picks.count - 2).map { step.picks[$0] ?? 0 }
    }
  }

  private typealias Step = (action: Action, person: Int, picks: [Int: Int])

  /// - Returns: The steps, with the choices that differ from the first one.
  private func steps(_ stranger: Int, _ owner: Int, _ numbers: inout SplitMix) -> [Step] {
    switch self {
    case .keptOut:
      // `Run.address(_:)` lists the persons' first addresses first.
      let factor: Action = numbers.below(2) == 0 ? .enrollPhone : .enrollApp
      let proof: Action = numbers.below(2) == 0 ? .proveByReset : .proveByLink
      return [
        (.signUp, stranger, [0: stranger]), (.verify, stranger, [:]), (factor, stranger, [:]),
        (.move, stranger, [1: owner]), (proof, owner, [:]),
      ]
    case .repaired:
      let address = owner + numbers.below(2) * Person.allCases.count
      return [
        (.signUp, stranger, [0: stranger]), (.verify, stranger, [:]), (.move, stranger, [1: owner]),
        (.administer, owner, [1: 3, 2: address]),
      ]
    case .oldMail:
      let signIns: [Step] = numbers.below(2) == 0 ? [(.answerFactor, owner, [:])] : []
      return [(.signUp, owner, [0: owner]), (.verify, owner, [:]), (.enrollApp, owner, [:])] + signIns
        + [(.wait, owner, [0: 6]), (.readOldMail, stranger, [0: 23]), (.wait, owner, [0: 6])]
        + [(.readOldMail, stranger, [0: 23])]
    case .stolen:
      let changes: [Step] = numbers.below(2) == 0 ? [] : [(.changePassword, stranger, [:]), (.signIn, stranger, [:])]
      return [(.signUp, owner, [0: owner]), (.verify, owner, [:]), (.stealSession, stranger, [:])] + changes
        + [(.enrollApp, stranger, [:]), (.answerFactor, stranger, [:]), (.useCode, owner, [:])]
    }
  }
}
