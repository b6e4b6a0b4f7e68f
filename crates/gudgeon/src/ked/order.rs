//! An order of coordinates in which those that meet in an element are near each other: Cuthill and McKee's, reversed.

use std::collections::VecDeque;

/// New numbers of all coordinates, from the groups that meet.
pub fn numbers(count: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for group in groups {
        for &i in group {
            neighbours[i].extend(group.iter().filter(|j| **j != i));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    while let Some(first) = (0..count).filter(|i| !seen[*i]).min_by_key(|i| neighbours[*i].len()) {
        // From the far end of the part that this one belongs to.
        let last = visit(first, &neighbours, &mut seen.clone()).pop().unwrap_or(first);
        order.extend(visit(last, &neighbours, &mut seen));
    }
    let mut numbers = vec![0; count];
    for (new, old) in order.into_iter().rev().enumerate() {
        numbers[old] = new;
    }
    numbers
}

/// By growing distance from the first, those with few neighbours first.
fn visit(first: usize, neighbours: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut order = vec![first];
    let mut queue = VecDeque::from([first]);
    seen[first] = true;
    while let Some(i) = queue.pop_front() {
        let mut next: Vec<usize> = neighbours[i].iter().copied().filter(|j| !seen[*j]).collect();
        next.sort_by_key(|j| neighbours[*j].len());
        for j in next {
            seen[j] = true;
            order.push(j);
            queue.push_back(j);
        }
    }
    order
}

/// Largest distance of two coordinates that meet.
pub fn half_width(groups: &[Vec<usize>]) -> usize {
    let width = |group: &Vec<usize>| match (group.iter().min(), group.iter().max()) {
        (Some(low), Some(high)) => high - low,
        _ => 0,
    };
    groups.iter().map(width).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_in_any_order_becomes_narrow() {
        let shuffled: Vec<usize> = (0..50).map(|i| (i * 17) % 50).collect();
        let groups: Vec<Vec<usize>> = shuffled.windows(2).map(<[usize]>::to_vec).collect();
        let numbers = numbers(50, &groups);
        let mut all = numbers.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..50));
        let renumbered: Vec<Vec<usize>> =
            groups.iter().map(|group| group.iter().map(|i| numbers[*i]).collect()).collect();
        assert_eq!(half_width(&renumbered), 1);
    }
}
