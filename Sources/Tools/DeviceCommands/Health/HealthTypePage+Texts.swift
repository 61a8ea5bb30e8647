extension HealthTypePage {
    static let opening = """
        # Health types

        Every type of Apple's HealthKit that Tributary converts: its codes, its unit and the element with its value. This page is
        written by `tributary health types --markdown`; `tributary health types --search WORD` shows single types, and
        `--json` gives all of them to programs, each with an example resource as the conversion makes it.

        Every observation carries HealthKit's own code, system `http://developer.apple.com/documentation/healthkit`, which is
        the identifier of the type: `HKQuantityTypeIdentifier`, `HKCategoryTypeIdentifier` or
        `HKCorrelationTypeIdentifier` and the name in code letters below. Standard codes precede it where there are any.
        """

    static let supplement = """

        ## A study's own types

        A study adds types or changes them with a file, which `tributary health types --supplement FILE` reads and shows:

        ```json
        {
          "types": [
            {
              "identifier": "HKQuantityTypeIdentifierBodyMass",
              "title": "Weight",
              "codings": [{"system": "http://loinc.org", "code": "3141-9", "display": "Body weight Measured"}],
              "unit": {"healthKit": "lb", "ucum": "[lb_av]", "display": "lbs"},
              "plausible": {"low": 60, "high": 900}
            },
            {
              "identifier": "org.example.grip-strength",
              "kind": "quantity",
              "title": "Grip Strength",
              "folder": "Strength",
              "category": "exam",
              "codings": [{"system": "http://example.org/codes", "code": "grip", "display": "Grip strength"}],
              "unit": {"healthKit": "kg", "ucum": "kg", "display": "kg"}
            }
          ]
        }
        ```

        An entry for an identifier of this page replaces the members that it has; the other members stay. An
        identifier that is not here is a new type.

        | Member | Meaning |
        |---|---|
        | `identifier` | HealthKit's identifier, or the study's own for a new type. |
        | `kind` | `quantity` or `category`, of a new type. |
        | `title`, `folder` | For people; the folder is also that of the warehouse's ontology (`Study` if absent). |
        | `category` | One of HL7's observation categories: `social-history`, `vital-signs`, `imaging`, `laboratory`, `procedure`, `survey`, `exam`, `therapy`, `activity` (`survey` if absent). |
        | `codings` | Replaces all standard codes. HealthKit's own code is always added to types of HealthKit. |
        | `unit` | Of a quantity: HealthKit's unit, the UCUM code and the words. Both must be of one dimension and size, but for `%`, whose values are multiplied by 100. |
        | `aggregation` | Of a quantity: `cumulative` or `discrete` (`discrete` if absent). |
        | `plausible` | Of a quantity: `low` and `high` in the UCUM unit. |
        | `options` | Of a category: its values, each with `code`, `display` and `aliases`. A category without options is an event. |

        A file with a fault changes nothing; the message names the path, for example
        `types[0].unit.ucum: The UCUM code must be of the dimension and size of HealthKit's unit lb, for example [lb_av].`
        """
}
