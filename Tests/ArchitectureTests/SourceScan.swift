import Foundation

/// A Swift text without its comments and the contents of its string literals, so that what a comment or a message
/// says is not taken for code. Lines stay where they are.
struct SwiftCode {
    let lines: [Substring]

    init(_ source: String) {
        lines = SwiftCode.code(of: Array(source)).split(separator: "\n", omittingEmptySubsequences: false)
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

    private static func code(of source: [Character]) -> String {
        var output = ""
        var index = 0
        func starts(_ text: String, at start: Int) -> Bool { source[start...].starts(with: text) }
        while index < source.count {
            if starts("//", at: index) {
                while index < source.count, !source[index].isNewline { index += 1 }
            } else if starts("/*", at: index) {
                index = skipComment(source, from: index, into: &output)
            } else if source[index] == "\"" || source[index] == "#",
                let end = skipString(source, from: index, into: &output)
            {
                index = end
            } else {
                output.append(source[index].isNewline ? "\n" : source[index])
                index += 1
            }
        }
        return output
    }

    private static func skipComment(_ source: [Character], from start: Int, into output: inout String) -> Int {
        var depth = 0
        var index = start
        while index < source.count {
            if source[index...].starts(with: "/*") {
                depth += 1
                index += 2
            } else if source[index...].starts(with: "*/") {
                depth -= 1
                index += 2
                if depth == 0 { break }
            } else {
                if source[index].isNewline { output.append("\n") }
                index += 1
            }
        }
        return index
    }

    /// Skips a string literal, plain or raw, on one line or several; nil if no literal begins here. Interpolations
    /// are skipped too: they contain no imports.
    private static func skipString(_ source: [Character], from start: Int, into output: inout String) -> Int? {
        var index = start
        while index < source.count, source[index] == "#" { index += 1 }
        let hashes = String(repeating: "#", count: index - start)
        guard index < source.count, source[index] == "\"" else { return nil }
        let quotes = source[index...].starts(with: "\"\"\"") ? "\"\"\"" : "\""
        index += quotes.count
        output.append("\"\"")
        while index < source.count {
            if source[index...].starts(with: quotes + hashes) { return index + quotes.count + hashes.count }
            if source[index...].starts(with: "\\" + hashes) {
                index += 1 + hashes.count
                if index < source.count, source[index] == "(" {
                    index = skipInterpolation(source, from: index)
                    continue
                }
            }
            if index < source.count {
                if source[index].isNewline { output.append("\n") }
                index += 1
            }
        }
        return index
    }

    private static func skipInterpolation(_ source: [Character], from start: Int) -> Int {
        var index = start
        var depth = 0
        while index < source.count {
            var ignored = ""
            if source[index] == "\"", let end = skipString(source, from: index, into: &ignored) {
                index = end
                continue
            }
            if source[index] == "(" { depth += 1 }
            if source[index] == ")" { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        return index
    }
}

/// A source file of the package.
struct SourceFile {
    /// From the package's root.
    let path: String
    let text: String
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
