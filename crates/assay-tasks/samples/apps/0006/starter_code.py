class Solution:
    def firstPair(self, numbers: List[int], target: int) -> List[int]:
        