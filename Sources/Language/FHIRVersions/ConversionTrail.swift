/// The location of a value in the converted resource. It is written as text only if a note needs it.
indirect enum ConversionTrail: Sendable {
    case root(String)
    case member(ConversionTrail, String)
    case index(ConversionTrail, Int)

    func member(_ key: String) -> ConversionTrail { .member(self, key) }

    /// The text, such as `Patient.name[0].family`.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// Appends the outer parts first, each once.
    private func write(to text: inout String) {
        switch self {
        case .root(let name): text += name
        case .member(let outer, let key):
            outer.write(to: &text)
            text += "."
            text += key
        case .index(let outer, let index):
            outer.write(to: &text)
            text += "[\(index)]"
        }
    }
}
