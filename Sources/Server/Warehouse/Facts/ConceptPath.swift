/// Paths of i2b2 concepts: stable segments between backslashes, without characters that i2b2 forbids or that are
/// wildcards of SQL's LIKE.
enum ConceptPath {
    static let root = "\\Tributary\\"
    static let surveys = root + "Surveys\\"
    static let health = root + "Health\\"
    /// The folder that contains concepts with a terminology's code a second time.
    static let codes = root + "Codes\\"
    static let maximumLength = 700

    /// Returns a text as a segment. A text that had to be changed gets a few digits of its hash, so that two texts
    /// never have one segment.
    static func segment(_ text: String) -> String {
        var changed = false
        var output = ""
        for character in text {
            if let ascii = character.asciiValue, character.utf8.count == 1, isPlain(ascii) {
                output.append(character)
            } else {
                output.append("-")
                changed = true
            }
        }
        output = String(output.drop { $0 == " " })
        while output.last == " " || output.last == "." { output.removeLast() }
        if output != text { changed = true }
        if output.count > 60 {
            output = String(output.prefix(50))
            changed = true
        }
        guard changed || output.isEmpty else { return output }
        return (output.isEmpty ? "x" : output) + "-" + ConceptCode.hash(text, 6)
    }

    private static func isPlain(_ ascii: UInt8) -> Bool {
        switch ascii {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-. ()+=,'".utf8.contains(ascii)
        }
    }

    /// Returns the path of a child. A path that would be too long consists of its nearest ancestor that fits, and its
    /// hash.
    static func child(of parent: String, _ segment: String) -> String {
        let path = parent + segment + "\\"
        guard path.count > maximumLength else { return path }
        // The hash of the whole path keeps it unique below that ancestor.
        var ancestor = parent.split(separator: "\\").map(String.init)
        while ancestor.joined(separator: "\\").count > maximumLength - 16 { ancestor.removeLast() }
        return "\\" + ancestor.joined(separator: "\\") + "\\" + ConceptCode.hash(path, 12) + "\\"
    }

    /// Returns the parent of a path; nil for the root.
    static func parent(of path: String) -> String? {
        let segments = path.split(separator: "\\")
        return segments.count < 2 ? nil : "\\" + segments.dropLast().joined(separator: "\\") + "\\"
    }

    /// Returns the depth of the path; the root is 0.
    static func level(_ path: String) -> Int { max(0, path.split(separator: "\\").count - 1) }
}
