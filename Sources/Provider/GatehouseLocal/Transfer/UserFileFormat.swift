/// The formats of the files that `firebase auth:export` writes and `firebase auth:import` reads.
public enum UserFileFormat: String, Sendable, Hashable, CaseIterable {
  /// A JSON object with an array `users`. The files of Firebase's emulator have the same form.
  case json
  /// Comma-separated values without a header, one account a row.
  case csv

  /// The format that a file's name ends with: `.json` or `.csv`; `nil` for any other ending.
  public init?(file: String) {
    let name = file.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) else { return nil }
    self = format
  }
}
