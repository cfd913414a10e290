/// Findings as lines that a GitHub workflow converts to annotations of the files.
package enum WorkflowCommands {
  /// `::error file=…,line=…,title=…::…` for a finding, `::notice …` for a note.
  ///
  /// - Parameter root: the absolute path of the folder to which files are relative.
  package static func line(for report: WaitReport, root: String) -> String {
    var properties: [String] = []
    if let place = report.place, let file = place.file, let line = place.line {
      properties += ["file=\(property(SourcePaths(root: root).relative(file)))", "line=\(line)"]
    }
    properties.append("title=\(property(report.headline))")
    let command = report.isNote ? "notice" : "error"
    return "::\(command) \(properties.joined(separator: ","))::\(data("\(report.summary)\nWhat to do: \(report.rule)"))"
  }

  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
