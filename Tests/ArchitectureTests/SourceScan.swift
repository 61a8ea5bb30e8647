import Foundation

/// A Swift text without its comments and the contents of its string literals, so that what a comment or a message
/// says is not taken for code. Lines stay where they are.
struct SwiftCode {
    let lines: [Substring]

    init(_ source: String) {
        var lines = [Substring](repeating: "", count: source.utf8.count { $0 == UInt8(ascii: "\n") } + 1)
        for line in SwiftText(source).code { lines[line.number - 1] = line.text[...] }
        self.lines = lines
    }

    /// The modules that the code imports, with attributes, access levels and single declarations understood.
    var imports: [(module: String, line: Int)] {
        let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        var found: [(String, Int)] = []
        for (index, line) in lines.enumerated() {
            for statement in line.split(separator: ";") {
                var words = statement.split(whereSeparator: \.isWhitespace)[...]
                while let word = words.first, word.hasPrefix("@") || access.contains(word) { words = words.dropFirst() }
                guard words.first == "import" else { continue }
                words = words.dropFirst()
                if let word = words.first, kinds.contains(word) { words = words.dropFirst() }
                guard let path = words.first, let module = path.split(separator: ".").first else { continue }
                found.append((String(module), index + 1))
            }
        }
        return found
    }

    /// Returns the lines with a text in their code.
    func lines(with text: String) -> [Int] {
        lines.enumerated().filter { $0.element.contains(text) }.map { $0.offset + 1 }
    }
}

/// A source file of the package.
struct SourceFile {
    /// From the package's root.
    let path: String
    let text: String

    /// Whether the bytes of a text occur in the file.
    func contains(_ part: String) -> Bool {
        text.withCString { text in part.withCString { strstr(text, $0) != nil } }
    }
}

/// The package on disk.
struct PackageFolder {
    let root: URL

    /// The package that this file belongs to.
    static let ours = PackageFolder(
        root: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent())

    /// The Swift files below a folder, in order of their paths.
    func swiftFiles(below folder: String) throws -> [SourceFile] {
        let top = root.appendingPathComponent(folder).resolvingSymlinksInPath()
        guard let walk = FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil) else { return [] }
        return try walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { url in
            let path = folder + url.resolvingSymlinksInPath().path.dropFirst(top.path.count)
            return SourceFile(path: path, text: try String(contentsOf: url, encoding: .utf8))
        }.sorted { $0.path < $1.path }
    }

    /// The names of the folders in a folder.
    func folders(in folder: String) -> [String] {
        let url = root.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { isFolder("\(folder)/\($0)") && !$0.hasPrefix(".") }.sorted()
    }

    func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        let there = FileManager.default.fileExists(
            atPath: root.appendingPathComponent(path).path, isDirectory: &isDirectory)
        return there && isDirectory.boolValue
    }
}
