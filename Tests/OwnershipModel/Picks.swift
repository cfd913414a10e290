/// The choices of one step. All zeros is a step that does nothing.
struct Picks {
  /// The number of choices of a step: the call, the person, and what the call is made with.
  static let count = 8

  private let values: ArraySlice<Int>

  init(_ values: ArraySlice<Int>) { self.values = values }

  var action: Action { Action(rawValue: values.first ?? 0) ?? .rest }
  var person: Person { Person.allCases[self[-1] % Person.allCases.count] }

  /// A choice of the call.
  subscript(_ index: Int) -> Int {
    let position = values.startIndex + 2 + index
    return position < values.endIndex ? values[position] : 0
  }
}
