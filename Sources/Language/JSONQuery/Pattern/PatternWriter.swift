/// A node of a parsed pattern.
indirect enum PatternNode: Sendable {
    case empty
    case set(PatternSet)
    case assertion(JSONPathPattern.Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, minimum: Int, maximum: Int?)
}

/// Compiles a pattern into instructions.
struct PatternWriter {
    private(set) var program: [JSONPathPattern.Instruction] = []

    mutating func write(_ node: PatternNode) throws(JSONPathError) {
        guard program.count < JSONPathPattern.maximumInstructions else {
            throw JSONPathError(
                .unsupportedPattern,
                "A pattern has more than \(JSONPathPattern.maximumInstructions) parts, repetitions counted.")
        }
        switch node {
        case .empty: break
        case .set(let set): program.append(.take(set))
        case .assertion(let assertion): program.append(.check(assertion))
        case .sequence(let parts): for part in parts { try write(part) }
        case .choice(let parts): try writeChoice(parts)
        case .repetition(let part, let minimum, let maximum):
            for _ in 0..<minimum { try writeAgain(part) }
            guard let maximum else { return try writeLoop(part) }
            guard maximum > minimum else { return }
            var splits: [Int] = []
            for _ in minimum..<maximum {
                splits.append(program.count)
                program.append(.jump(0))
                try writeAgain(part)
            }
            for index in splits { program[index] = .split(index + 1, program.count) }
        }
    }

    /// A part without instructions can be repeated any number of times; it is counted as one instruction, so that
    /// compiling terminates.
    private mutating func writeAgain(_ part: PatternNode) throws(JSONPathError) {
        let count = program.count
        try write(part)
        if program.count == count { program.append(.jump(count + 1)) }
    }

    private mutating func writeLoop(_ part: PatternNode) throws(JSONPathError) {
        let start = program.count
        program.append(.jump(0))
        try write(part)
        program.append(.jump(start))
        program[start] = .split(start + 1, program.count)
    }

    private mutating func writeChoice(_ parts: [PatternNode]) throws(JSONPathError) {
        var jumps: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index < parts.count - 1 else {
                try write(part)
                break
            }
            let split = program.count
            program.append(.jump(0))
            try write(part)
            jumps.append(program.count)
            program.append(.jump(0))
            program[split] = .split(split + 1, program.count)
        }
        for index in jumps { program[index] = .jump(program.count) }
    }
}
