import ArgumentParser
import GatehouseBase

/// The options of an emulator for accounts as Firebase's emulator exports them.
struct ExportOptions: ParsableArguments {
  /// The value of `--export-on-exit` without a folder, which no folder can have.
  private static let sameFolder = ""

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp(
      "With --emulator: begin with the accounts that Firebase's emulator has exported into this folder, in place of "
        + "the home's.", valueName: "dir"),
    completion: .directory, transform: fileName)
  var importFolder: String?
  @Option(
    defaultAsFlag: sameFolder,
    help: ArgumentHelp(
      "With --emulator: export the accounts at the end, into the folder of --import if none is named.",
      valueName: "dir"),
    completion: .directory)
  var exportOnExit: String?

  func validate() throws {
    guard exportOnExit != Self.sameFolder || importFolder != nil else {
      throw ValidationError("--export-on-exit needs a folder, unless --import names one")
    }
  }

  /// Whether one of the options is given.
  var areGiven: Bool { importFolder != nil || exportOnExit != nil }
  /// The folder to import.
  var source: ExportFolder? { importFolder.map { ExportFolder($0) } }
  /// The folder to export into.
  var target: ExportFolder? {
    exportOnExit.flatMap { $0 == Self.sameFolder ? importFolder : $0 }.map { ExportFolder($0) }
  }
}
