//! How well a request fits a tool.

/// How well a request fits a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// Weight of the things that both are about.
    pub(crate) things: f64,
    /// Whether both name the same action.
    pub(crate) same_action: bool,
    /// Whether both name actions, and none in common.
    pub(crate) other_action: bool,
    /// How much the values that the request says speak for the tool.
    pub(crate) told: f64,
    /// Whether the request names its action by a word that cannot stand for any other.
    pub(crate) firm: bool,
    /// Whether the request's verb is the tool's own, and not only one that means the same.
    pub(crate) same_verb: bool,
    /// Whether a value is of a sort that few tools want, or stands beside the tool's own words.
    pub(crate) own_value: bool,
    /// Whether the request asks to be told something.
    pub(crate) asks: bool,
    /// Whether the request wants nothing but the contrary of what the tool does.
    pub(crate) opposed: bool,
}

impl Fit {
    /// One figure to rank tools by.
    pub(crate) fn score(self) -> f64 {
        self.things + self.told + if self.same_action { 1.5 } else { 0.0 } - if self.other_action { 1.0 } else { 0.0 }
    }

    /// Whether the request may be for the tool, where no other is in question: things and values speak for it, the more
    /// the less the action does.
    pub(crate) fn may_serve(self) -> bool {
        let least = match (self.same_action, self.other_action && self.firm) {
            (true, _) if self.told > 0.0 => 1.0,
            (false, false) if self.firm && self.told <= 0.0 => 2.0,
            (true, _) | (false, false) => 1.5,
            (false, true) if self.asks => 6.0,
            (false, true) => 2.5,
        };
        let told = if self.asks && self.other_action { self.told / 2.0 } else { self.told };
        // Values of kinds that many tools want are not enough: somebody may say them after any request.
        self.things + told >= least && !self.opposed && (self.things > 0.0 || self.own_value || self.same_verb)
    }

    /// Whether the request says what the tool does, or asks a question.
    pub(crate) fn names_action(&self) -> bool {
        self.same_action || self.same_verb || self.asks
    }

    /// Whether the tool surely serves the request: they share things, and do not name different actions.
    pub(crate) fn serves(self) -> bool {
        let least = match (self.same_action, self.other_action) {
            (true, _) => 2.0,
            (false, false) => 3.0,
            (false, true) => 5.0,
        };
        // Values of few tools' kinds speak for it as well, where the action does too.
        let told = if self.same_action && self.things >= 1.0 { self.told / 2.0 } else { 0.0 };
        self.things + told >= least && !self.opposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(things: f64, told: f64, same_action: bool, other_action: bool) -> Fit {
        Fit {
            things,
            same_action,
            other_action,
            told,
            same_verb: false,
            own_value: false,
            firm: true,
            asks: false,
            opposed: false,
        }
    }

    #[test]
    fn values_speak_for_a_tool_but_do_not_make_it_sure() {
        assert!(fit(0.5, 1.0, false, false).may_serve() && !fit(0.5, 0.5, false, false).may_serve());
        assert!(fit(0.5, 0.5, true, false).may_serve() && !fit(1.0, 1.0, false, true).may_serve());
        assert!(fit(3.0, 0.0, false, false).serves() && !fit(2.0, 5.0, false, false).serves());
    }

    #[test]
    fn values_of_any_kind_are_not_enough() {
        assert!(!fit(0.0, 3.0, true, false).may_serve());
        assert!(Fit { own_value: true, ..fit(0.0, 3.0, true, false) }.may_serve());
    }

    #[test]
    fn the_contrary_serves_nobody() {
        let opposed = Fit { opposed: true, ..fit(9.0, 9.0, false, true) };
        assert!(!opposed.may_serve() && !opposed.serves());
    }

    #[test]
    fn the_same_action_ranks_before_another() {
        assert!(fit(1.0, 0.0, true, false).score() > fit(2.0, 0.0, false, true).score());
    }
}
