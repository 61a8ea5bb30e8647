extension Natural {
    /// Returns the quotient and the remainder. The divisor must not be zero.
    package func quotientAndRemainder(dividingBy divisor: Natural) -> (quotient: Natural, remainder: Natural) {
        if self < divisor { return (.zero, self) }
        if divisor.high.isEmpty {
            let (quotient, remainder) = quotientAndRemainder(dividingByWord: divisor.low)
            return (quotient, Natural(remainder))
        }
        return longDivision(by: divisor)
    }

    /// Returns the quotient and the remainder of a division by one word, which must not be zero.
    package func quotientAndRemainder(dividingByWord divisor: UInt64) -> (quotient: Natural, remainder: UInt64) {
        if high.isEmpty {
            let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
            return (Natural(quotient), remainder)
        }
        var quotient = words
        var remainder: UInt64 = 0
        for index in quotient.indices.reversed() {
            (quotient[index], remainder) = divisor.dividingFullWidth((remainder, quotient[index]))
        }
        return (Natural(words: quotient), remainder)
    }

    /// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D, with words of 64 bits.
    private func longDivision(by divisor: Natural) -> (quotient: Natural, remainder: Natural) {
        let shift = divisor.high.last.map(\.leadingZeroBitCount) ?? 0
        let v = divisor.shiftedLeft(by: shift).words
        var u = shiftedLeft(by: shift).words
        let n = v.count
        // The algorithm requires one word more than the number has.
        while u.count <= words.count { u.append(0) }
        let m = u.count - n - 1
        var quotient = [UInt64](repeating: 0, count: m + 1)
        let top = v[n - 1]
        let next = v[n - 2]
        for j in stride(from: m, through: 0, by: -1) {
            var estimate: UInt64
            var rest: UInt64
            var restFits = true
            if u[j + n] >= top {
                estimate = .max
                let (sum, overflow) = u[j + n - 1].addingReportingOverflow(top)
                rest = sum
                restFits = !overflow && u[j + n] == top
            } else {
                (estimate, rest) = top.dividingFullWidth((u[j + n], u[j + n - 1]))
            }
            while restFits {
                let (high, low) = estimate.multipliedFullWidth(by: next)
                guard high > rest || (high == rest && low > u[j + n - 2]) else { break }
                estimate -= 1
                let (sum, overflow) = rest.addingReportingOverflow(top)
                rest = sum
                restFits = !overflow
            }
            if Self.subtract(v, times: estimate, from: &u, at: j) {
                estimate -= 1
                Self.add(v, to: &u, at: j)
            }
            quotient[j] = estimate
        }
        return (Natural(words: quotient), Natural(words: u).shiftedRight(by: shift))
    }

    /// Subtracts `v * factor` from the words of `u` that begin at `start`. Returns whether the result is negative.
    private static func subtract(_ v: [UInt64], times factor: UInt64, from u: inout [UInt64], at start: Int) -> Bool {
        var carry: UInt64 = 0
        for index in v.indices {
            let (high, low) = v[index].multipliedFullWidth(by: factor)
            let (part, overflow) = low.addingReportingOverflow(carry)
            let (difference, borrow) = u[start + index].subtractingReportingOverflow(part)
            u[start + index] = difference
            carry = high &+ (overflow ? 1 : 0) &+ (borrow ? 1 : 0)
        }
        let (difference, borrow) = u[start + v.count].subtractingReportingOverflow(carry)
        u[start + v.count] = difference
        return borrow
    }

    private static func add(_ v: [UInt64], to u: inout [UInt64], at start: Int) {
        var carry: UInt64 = 0
        for index in v.indices {
            let (sum, overflow) = u[start + index].addingReportingOverflow(v[index])
            let (total, overflowAgain) = sum.addingReportingOverflow(carry)
            u[start + index] = total
            carry = overflow || overflowAgain ? 1 : 0
        }
        u[start + v.count] = u[start + v.count] &+ carry
    }

    /// The number times 2 to the power of `bits`, 0 to 63.
    private func shiftedLeft(by bits: Int) -> Natural {
        guard bits > 0 else { return self }
        var result: [UInt64] = []
        result.reserveCapacity(high.count + 2)
        var carry: UInt64 = 0
        for word in words {
            result.append(word << bits | carry)
            carry = word >> (64 - bits)
        }
        result.append(carry)
        return Natural(words: result)
    }

    private func shiftedRight(by bits: Int) -> Natural {
        guard bits > 0 else { return self }
        var result = words
        for index in result.indices {
            let above = index + 1 < result.count ? result[index + 1] << (64 - bits) : 0
            result[index] = result[index] >> bits | above
        }
        return Natural(words: result)
    }

    /// Removes the trailing zeros of the decimal digits and returns their number.
    package mutating func removeTens() -> Int {
        var count = 0
        guard !isZero, low & 1 == 0 else { return 0 }
        for zeros in [16, 8, 4, 2, 1] {
            let divisor = Self.smallPowersOfTen[zeros]
            while true {
                let (quotient, remainder) = quotientAndRemainder(dividingByWord: divisor)
                guard remainder == 0 else { break }
                self = quotient
                count += zeros
            }
        }
        return count
    }

    /// Divides by a word as long as there is no remainder, and returns the number of divisions. Zero is not changed.
    package mutating func removeFactors(_ divisor: UInt64) -> Int {
        var count = 0
        while !isZero {
            let (quotient, remainder) = quotientAndRemainder(dividingByWord: divisor)
            guard remainder == 0 else { break }
            self = quotient
            count += 1
        }
        return count
    }

    /// The greatest common divisor, by Euclid's algorithm.
    package static func greatestCommonDivisor(_ first: Natural, _ second: Natural) -> Natural {
        var (a, b) = (first, second)
        while !b.isZero {
            (a, b) = (b, a.quotientAndRemainder(dividingBy: b).remainder)
        }
        return a
    }
}

extension Natural {
    /// Creates a number from decimal digits; nil if `digits` is empty or contains anything else.
    package init?(digits: some Sequence<UInt8>) {
        self = .zero
        var chunk: UInt64 = 0
        var length = 0
        var isEmpty = true
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            isEmpty = false
            chunk = chunk * 10 + UInt64(digit - 0x30)
            length += 1
            if length == 18 {
                self = self * .powerOfTen(18) + Natural(chunk)
                (chunk, length) = (0, 0)
            }
        }
        guard !isEmpty else { return nil }
        if length > 0 { self = isZero ? Natural(chunk) : self * .powerOfTen(length) + Natural(chunk) }
    }

    /// The number in decimal digits.
    package var decimalDigits: String {
        var chunks: [UInt64] = []
        var rest = self
        repeat {
            let (quotient, chunk) = rest.quotientAndRemainder(dividingByWord: Self.smallPowersOfTen[18])
            chunks.append(chunk)
            rest = quotient
        } while !rest.isZero
        var text = String(chunks.removeLast())
        for chunk in chunks.reversed() {
            let digits = String(chunk)
            text += String(repeating: "0", count: 18 - digits.count) + digits
        }
        return text
    }
}
