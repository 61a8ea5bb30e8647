/// A pattern of `=~` in .NET's syntax, as far as it can be matched without backtracking.
/// <https://learn.microsoft.com/dotnet/standard/base-types/regular-expression-language-quick-reference>
///
/// All possible matches advance in parallel (Thompson's construction): the cost is no more than the length of the text
/// times the size of the pattern, for every pattern and text.
struct JSONPathPattern: Sendable {
    /// One instruction. The next instruction follows, unless it says otherwise.
    enum Instruction: Sendable {
        /// Consumes one UTF-16 unit of the set.
        case take(PatternSet)
        /// Continues only if the assertion is true.
        case check(Assertion)
        /// Continues at both instructions.
        case split(Int, Int)
        case jump(Int)
        case found
    }

    /// Assertion about the position between two units.
    enum Assertion: Sendable {
        case textStart, textEnd, lastLineEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
    }

    private let program: [Instruction]

    /// The number of instructions.
    var size: Int { program.count }

    /// Maximum number of instructions of a pattern. Counted repetitions are unrolled.
    static let maximumInstructions = 2_000

    /// Compiles a pattern between slashes with its options after them: `i` ignores case, with `m` `^` and `$` match at
    /// each line, and with `s` a dot matches line ends; other letters are ignored.
    init(delimited text: String) throws(JSONPathError) {
        let units = Array(text.utf16)
        guard let end = units.lastIndex(of: UInt16(ascii: "/")), end > 0 else {
            throw JSONPathError(.invalidPattern, "A pattern must be between slashes.")
        }
        var options = PatternOptions()
        for letter in units[(end + 1)...] { options.set(letter, to: true) }
        var parser = PatternParser(Array(units[1..<end]), options)
        var writer = PatternWriter()
        try writer.write(try parser.pattern())
        program = writer.program + [.found]
    }

    /// Returns whether the pattern matches anywhere in the text.
    func isFound(in text: String) -> Bool {
        let units = Array(text.utf16)
        var active = InstructionSet(count: program.count)
        var following = InstructionSet(count: program.count)
        var open: [Int] = []
        for position in 0...units.count {
            if enter(0, at: position, of: units, into: &active, open: &open) { return true }
            guard position < units.count else { return false }
            following.removeAll()
            for index in active.members {
                guard case .take(let set) = program[index], set.contains(units[position]) else { continue }
                if enter(index + 1, at: position + 1, of: units, into: &following, open: &open) { return true }
            }
            swap(&active, &following)
        }
        return false
    }

    /// Adds an instruction and all instructions that are reached from it without consuming a unit. Returns whether the
    /// pattern is found.
    private func enter(
        _ start: Int, at position: Int, of units: [UInt16], into active: inout InstructionSet, open: inout [Int]
    ) -> Bool {
        open.append(start)
        while let index = open.popLast() {
            guard active.insert(index) else { continue }
            switch program[index] {
            case .take: break
            case .check(let assertion): if assertion.holds(at: position, units) { open.append(index + 1) }
            case .split(let first, let second):
                open.append(second)
                open.append(first)
            case .jump(let target): open.append(target)
            case .found:
                open.removeAll(keepingCapacity: true)
                return true
            }
        }
        return false
    }

    /// A set of instructions that is cleared in constant time.
    private struct InstructionSet {
        private(set) var members: [Int] = []
        private var rounds: [Int]
        private var round = 1

        init(count: Int) {
            rounds = [Int](repeating: 0, count: count)
            members.reserveCapacity(count)
        }

        mutating func insert(_ index: Int) -> Bool {
            guard rounds[index] != round else { return false }
            rounds[index] = round
            members.append(index)
            return true
        }

        mutating func removeAll() {
            members.removeAll(keepingCapacity: true)
            round += 1
        }
    }
}

extension JSONPathPattern.Assertion {
    fileprivate func holds(at position: Int, _ units: [UInt16]) -> Bool {
        let newline = UInt16(ascii: "\n")
        let isEnd = position == units.count
        switch self {
        case .textStart: return position == 0
        case .textEnd: return isEnd
        case .lastLineEnd: return isEnd || (position == units.count - 1 && units[position] == newline)
        case .lineStart: return position == 0 || units[position - 1] == newline
        case .lineEnd: return isEnd || units[position] == newline
        case .wordBoundary, .noWordBoundary:
            let before = position > 0 && PatternSet.isWord(units[position - 1])
            let after = !isEnd && PatternSet.isWord(units[position])
            return (before != after) == (self == .wordBoundary)
        }
    }
}

extension UInt16 {
    /// The unit of an ASCII character.
    init(ascii scalar: Unicode.Scalar) { self.init(UInt8(ascii: scalar)) }
}
