/// A text as one word of a shell's command line.
package enum ShellWord {
    /// Returns the text in single quotes, in which a shell interprets nothing
    /// (<https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_02_02>).
    package static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Returns the text of a word in single quotes; any other text unchanged.
    static func unquoted(_ word: String) -> String {
        guard word.count >= 2, word.hasPrefix("'"), word.hasSuffix("'") else { return word }
        return String(word.dropFirst().dropLast()).replacing("'\\''", with: "'")
    }
}
