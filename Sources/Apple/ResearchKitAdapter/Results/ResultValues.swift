#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchResults

    /// The values of Foundation as JSON and back.
    enum ResultValues {
        /// Maximum depth of arrays and dictionaries in a result's user info.
        private static let maximumDepth = 32

        /// Returns the number with its own digits; nil if it is not finite.
        static func json(number: NSNumber?) -> JSON? {
            guard let number else { return nil }
            return JSONNumber(text: text(number)).map(JSON.number)
        }

        /// Returns `true` or `false` for a boolean, otherwise the number.
        static func truthOrNumber(_ number: NSNumber?) -> JSON? {
            guard let number else { return nil }
            return isBoolean(number) ? .bool(number.boolValue) : json(number: number)
        }

        private static func isBoolean(_ number: NSNumber) -> Bool {
            !(number is NSDecimalNumber) && String(cString: number.objCType) == "c"
                && (number.intValue == 0 || number.intValue == 1)
        }

        private static func text(_ number: NSNumber) -> String {
            if let decimal = number as? NSDecimalNumber { return decimal.description(withLocale: nil) }
            // `stringValue` has at most 16 digits.
            switch String(cString: number.objCType) {
            case "d": return text(number.doubleValue, shortest: number.doubleValue.description)
            case "f": return text(number.doubleValue, shortest: number.floatValue.description)
            default: return number.stringValue
            }
        }

        private static func text(_ value: Double, shortest: String) -> String {
            value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : shortest
        }

        /// Returns a number; nil if it is not in the range of a `Double`.
        static func number(_ json: JSON) -> NSNumber? {
            if let flag = json.bool { return NSNumber(value: flag) }
            guard let number = json.number else { return nil }
            if let integer = number.integer { return NSNumber(value: integer) }
            // A decimal number gives the `Double` of 0.3 only nearly.
            let double = NSNumber(value: number.double)
            if text(double) == number.text { return double }
            if let decimal = number.decimal, !decimal.isNaN { return NSDecimalNumber(decimal: decimal) }
            return number.double.isFinite ? double : nil
        }

        /// Returns a time, with the offset of the time zone.
        static func json(time instant: Date, in zone: TimeZone = .current) -> JSON {
            .string(ResultTime.text(DateTime(instant, in: zone)))
        }

        /// Returns the value of a choice; nil if it is no text, number, time or null.
        static func json(choice value: any ORKChoiceValue) -> JSON? {
            switch value {
            case let text as NSString: .string(String(describing: text))
            case let number as NSNumber: truthOrNumber(number)
            case let date as NSDate: json(time: Date(timeIntervalSince1970: date.timeIntervalSince1970))
            case is NSNull: .null
            default: nil
            }
        }

        /// Returns the value of a choice; nil for an array or an object.
        static func choice(_ json: JSON) -> (any ORKChoiceValue)? {
            switch json {
            case .string(let text): NSString(string: text)
            case .number, .bool: number(json)
            case .null: NSNull()
            default: nil
            }
        }

        /// Returns a value of a property list or of JSON; nil if it is neither.
        static func json(any value: Any, depth: Int = 0) -> JSON? {
            guard depth < maximumDepth else { return nil }
            switch value {
            case let text as String: return .string(text)
            case let number as NSNumber: return truthOrNumber(number)
            case let flag as Bool: return .bool(flag)
            case is NSNull: return .null
            case let date as Date: return json(time: date)
            case let array as [Any]:
                var elements: [JSON] = []
                for element in array {
                    guard let element = json(any: element, depth: depth + 1) else { return nil }
                    elements.append(element)
                }
                return .array(elements)
            case let dictionary as [AnyHashable: Any]: return json(dictionary: dictionary, depth: depth)
            default: return nil
            }
        }

        /// Returns a dictionary, sorted by its keys; nil if a key is no text or a value cannot be written.
        static func json(dictionary: [AnyHashable: Any], depth: Int = 0) -> JSON? {
            var members: [JSONObject.Member] = []
            for (key, value) in dictionary {
                guard let key = key.base as? String, let json = json(any: value, depth: depth + 1) else { return nil }
                members.append(JSONObject.Member(key: key, value: json))
            }
            return JSON(members.sorted { $0.key < $1.key })
        }

        /// Returns a value as Foundation has it; nil if a number is not in the range of a `Double`.
        static func any(_ json: JSON) -> Any? {
            switch json {
            case .null: return NSNull()
            case .string(let text): return text
            case .number, .bool: return number(json)
            case .array(let elements):
                let values = elements.compactMap(any)
                return values.count == elements.count ? values : nil
            case .object(let object): return dictionary(object)
            }
        }

        /// Returns an object as a dictionary; nil if a number is not in the range of a `Double`.
        static func dictionary(_ object: JSONObject) -> [String: Any]? {
            var dictionary: [String: Any] = [:]
            for member in object.members {
                guard let value = any(member.value) else { return nil }
                dictionary[member.key] = value
            }
            return dictionary
        }
    }
#endif
