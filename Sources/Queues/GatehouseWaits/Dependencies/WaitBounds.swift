/// The bounds of the search for cycles. What is left out because of one of them is said.
enum WaitBounds {
  /// The number of waits that all searches examine together: a number at first, and a number for each new wait.
  static let stepsAtFirst = 500_000, stepsOfAWait = 500
  /// The number of steps after which the search asks whether the user has ended it.
  static let stepsBetweenQuestions = 256
  /// The number of paths of one search.
  static let pathsOfASearch = 20_000
}
